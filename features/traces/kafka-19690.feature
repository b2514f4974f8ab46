Feature: KAFKA-19690: the guard is tested before the epoch: a timed-out producer hears INVALID_TXN_STATE
  FencedHearsFenced: Who lost its transaction to the coordinator, or was fenced, hears PRODUCER_FENCED or INVALID_PRODUCER_EPOCH, and no other final error. Otherwise the application takes an ordinary takeover for a bug, and dies.
  Every fix is on but this one: a broker without it does line by line what stands here.
  Generated from the checker's counterexample: make docs

  @trace @tv1 @tv2 @inside
  Scenario: Counterexample of KAFKA-19690
    FencedHearsFenced falls after 12 steps of the checker's.
    What goes on inside the broker can't be placed from outside; with --bound quick=1 the checker looks for what can.
    onceproof check fix-19690 --fix-off KAFKA-19690 --property FencedHearsFenced --trace gherkin

    Given topic "t" with 1 partition
    And producer A (v5 style) with transactional id "id" and timeout 2000 ms
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A's Produce("a" to t-0) is under way as "batch"
    And inside the broker, the coordinator's reply to t-0's leader is held
    And the transaction of "id" times out
    And inside the broker, the append of the coordinator is acknowledged
    And inside the broker, t-0's leader receives the marker ABORT, producer P0 epoch 1
    And inside the broker, t-0's leader receives the coordinator's reply: NONE
    And "batch" is answered
    Then the answer is INVALID_TXN_STATE
    When inside the broker, everything else goes on
