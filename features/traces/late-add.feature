Feature: late add: a late copy of AddPartitionsToTxn opens a transaction that its client has ended
  OwnerNotRefused: The owner of the transactional id, following the protocol, is never refused as fenced, as unknown, in a wrong state, or with its next batch out of order. Otherwise a healthy application dies.
  It falls with every fix on: nothing in these requests tells one transaction of an epoch from the next.
  Generated from the checker's counterexample: make docs

  @trace @tv0 @tv1
  Scenario: Counterexample of late add
    OwnerNotRefused falls after 26 steps of the checker's.
    onceproof check late-add-partitions --property OwnerNotRefused --bound quick=1 --trace gherkin

    Given topic "t" with 1 partition
    And producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A's AddPartitionsToTxn(t-0) is held as "late add"
    And A adds partition t-0 to the transaction
    Then the answer is NONE
    When A ends the transaction with abort
    Then the answer is NONE
    When the transaction of "id" completes
    And "late add" arrives
    Then the answer is NONE
    When A sends InitProducerId(its identity) once
    Then the answer is CONCURRENT_TRANSACTIONS
    When A sends InitProducerId(its identity)
    Then the answer is PRODUCER_FENCED
