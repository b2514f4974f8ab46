Feature: IDEM-43: a late append of an older epoch voids the verification of the current one
  OwnerNotRefused: The owner of the transactional id, following the protocol, is never refused as fenced, as unknown, in a wrong state, or with its next batch out of order. Otherwise a healthy application dies.
  Every fix is on but this one: a broker without it does line by line what stands here.
  Generated from the checker's counterexample: make docs

  @trace @tv1 @tv2 @inside
  Scenario: Counterexample of IDEM-43
    OwnerNotRefused falls after 22 steps of the checker's.
    What goes on inside the broker can't be placed from outside; with --bound quick=1 the checker looks for what can.
    onceproof check fix-idem-43 --fix-off IDEM-43 --property OwnerNotRefused --trace gherkin

    Given topic "t" with 1 partition
    And producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A's Produce("a" to t-0) is under way as "batch"
    And inside the broker, the coordinator's reply to t-0's leader is held
    And A ends the transaction with abort
    Then the answer is NONE with P0 at epoch 1
    When inside the broker, the append of the coordinator is acknowledged
    And inside the broker, the marker for t-0 is held
    And A's Produce("b" to t-0) is under way as "batch 2"
    And inside the broker, t-0's leader receives the coordinator's reply: NONE
    And "batch" is answered
    Then the answer is NONE at offset 0
    When inside the broker, t-0's leader receives the marker ABORT, producer P0 epoch 1
    And inside the broker, the coordinator receives the answer to the marker for t-0: NONE
    And inside the broker, the append of the coordinator is acknowledged
    And inside the broker, the coordinator receives the leader's question: add t-0, producer P0 epoch 1
    And inside the broker, the append of the coordinator is acknowledged
    And inside the broker, t-0's leader receives the coordinator's reply: NONE
    And "batch 2" is answered
    Then the answer is INVALID_TXN_STATE
