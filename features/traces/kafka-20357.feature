Feature: KAFKA-20357: the last epoch is not in the log: after a crash a repeated InitProducerId fences its own producer
  OwnerNotRefused: The owner of the transactional id, following the protocol, is never refused as fenced, as unknown, in a wrong state, or with its next batch out of order. Otherwise a healthy application dies.
  Every fix is on but this one: a broker without it does line by line what stands here.
  Generated from the checker's counterexample: make docs

  @trace @tv0 @tv1 @tv2 @restart
  Scenario: Counterexample of KAFKA-20357
    OwnerNotRefused falls after 22 steps of the checker's.
    onceproof check fix-20357 --fix-off KAFKA-20357 --property OwnerNotRefused --bound quick=1 --trace gherkin

    Given topic "t" with 1 partition
    And producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    Then the answer is NONE
    When A ends the transaction with abort
    Then the answer is NONE
    When the transaction of "id" completes
    And A sends InitProducerId(its identity) and the answer is lost
    Then the answer is NONE with P0 at epoch 1
    When the broker crashes and comes back
    And A sends InitProducerId(its identity)
    Then the answer is PRODUCER_FENCED
