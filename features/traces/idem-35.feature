Feature: IDEM-35: a duplicate or a refused batch leaves its sequence in memory: the owner's next batch is out of order
  OwnerNotRefused: The owner of the transactional id, following the protocol, is never refused as fenced, as unknown, in a wrong state, or with its next batch out of order. Otherwise a healthy application dies.
  Every fix is on but this one: a broker without it does line by line what stands here.
  Generated from the checker's counterexample: make docs

  @trace @tv0 @tv1 @tv2
  Scenario: Counterexample of IDEM-35
    OwnerNotRefused falls after 30 steps of the checker's.
    onceproof check fix-idem-35 --fix-off IDEM-35 --property OwnerNotRefused --bound quick=1 --trace gherkin

    Given topic "t" with 1 partition
    And producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    Then the answer is NONE
    When A's Produce("a" to t-0) is held as "late batch"
    And A produces "a" to t-0
    Then the answer is NONE at offset 0
    When A ends the transaction with commit
    Then the answer is NONE
    When the transaction of "id" completes
    And "late batch" arrives
    Then the answer is TRANSACTION_ABORTABLE
    When A adds partition t-0 to the transaction
    Then the answer is NONE
    When A produces "b" to t-0
    Then the answer is OUT_OF_ORDER_SEQUENCE_NUMBER
