Feature: INIT-31: a fenced producer's InitProducerId with its stale epoch aborts the owner's open transaction
  OwnerNotRefused: The owner of the transactional id, following the protocol, is never refused as fenced, as unknown, in a wrong state, or with its next batch out of order. Otherwise a healthy application dies.
  Every fix is on but this one: a broker without it does line by line what stands here.
  Generated from the checker's counterexample: make docs

  @trace @tv0 @tv1 @tv2
  Scenario: Counterexample of INIT-31
    OwnerNotRefused falls after 30 steps of the checker's.
    onceproof check fix-init-31 --fix-off INIT-31 --property OwnerNotRefused --bound quick=1 --trace gherkin

    Given topic "t" with 1 partition
    And producer A (v4 style) with transactional id "id"
    And producer B (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    Then the answer is NONE
    When A ends the transaction with abort
    Then the answer is NONE
    When B sends InitProducerId until it is granted
    Then B is granted producer id P0 at epoch 1
    When B adds partition t-0 to the transaction
    Then the answer is NONE
    When A sends InitProducerId(its identity) once
    Then the answer is CONCURRENT_TRANSACTIONS
    When B produces "b" to t-0
    Then the answer is INVALID_PRODUCER_EPOCH
