Feature: late marker: a late copy of a marker ends the next transaction
  MarkerMatchesTransaction: The marker that ends a record's transaction was sent for that very transaction. Otherwise a late marker decides what it was not meant for.
  It falls with every fix on: nothing in these requests tells one transaction of an epoch from the next.
  Generated from the checker's counterexample: make docs

  @trace @tv0 @tv1 @tv2
  Scenario: Counterexample of late marker
    MarkerMatchesTransaction falls after 28 steps of the checker's.
    The coordinator had no answer to its marker in time and sent it again (MARK-33). The tester stands in for the first copy, which is late.
    onceproof check late-marker --property MarkerMatchesTransaction --bound quick=1 --trace gherkin

    Given topic "t" with 1 partition
    And producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    Then the answer is NONE
    When A produces "a" to t-0
    Then the answer is NONE at offset 0
    When A ends the transaction with commit
    Then the answer is NONE
    And DescribeProducers of t-0 shows:
      | producer | epoch | coordinator epoch | transaction start |
      | P0       | 0     | C0                | -1                |
    When A's WriteTxnMarkers(commit, t-0, transaction version 0, coordinator epoch C0) is held as "late marker"
    And A adds partition t-0 to the transaction
    Then the answer is NONE
    When A produces "b" to t-0
    Then the answer is NONE at offset 2
    When "late marker" arrives
    Then the answer is NONE
    And DescribeTransactions of "id" shows Ongoing, P0, epoch 0, partitions t-0
    And the log of t-0 is:
      | offsets | epoch | batch  |
      | 0       | 0     | a      |
      | 1       | 0     | COMMIT |
      | 2       | 0     | b      |
      | 3       | 0     | COMMIT |
    And the latest offset of t-0 is 4 read_uncommitted and 4 read_committed
    And a read_committed consumer of t-0 reads a@0 b@2 and stands at 4
