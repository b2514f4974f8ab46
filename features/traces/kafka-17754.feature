Feature: KAFKA-17754: a late copy of EndTxn ends the next transaction
  NoAbortedRead: No record is shown to read_committed unless its client asked to commit that very transaction. Otherwise a consumer acts on what was taken back.
  It falls with every fix on: nothing in these requests tells one transaction of an epoch from the next.
  Generated from the checker's counterexample: make docs

  @trace @tv0 @tv1 @tv2
  Scenario: Counterexample of KAFKA-17754
    NoAbortedRead falls after 30 steps of the checker's.
    onceproof check late-end-txn --property NoAbortedRead --bound quick=1 --trace gherkin

    Given topic "t" with 1 partition
    And producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    Then the answer is NONE
    When A produces "a" to t-0
    Then the answer is NONE at offset 0
    When A's EndTxn(commit) is held as "late EndTxn"
    And A ends the transaction with commit
    Then the answer is NONE
    When A adds partition t-0 to the transaction
    Then the answer is NONE
    When A produces "b" to t-0
    Then the answer is NONE at offset 2
    When "late EndTxn" arrives
    Then the answer is NONE
    And DescribeTransactions of "id" shows CompleteCommit, P0, epoch 0
    And the log of t-0 is:
      | offsets | epoch | batch  |
      | 0       | 0     | a      |
      | 1       | 0     | COMMIT |
      | 2       | 0     | b      |
      | 3       | 0     | COMMIT |
    And the latest offset of t-0 is 4 read_uncommitted and 4 read_committed
    And a read_committed consumer of t-0 reads a@0 b@2 and stands at 4
