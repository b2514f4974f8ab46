Feature: KAFKA-6119: a transaction that timed out is aborted without a new epoch: late requests of its producer still pass
  FencedHearsFenced: Who lost its transaction to the coordinator, or was fenced, hears PRODUCER_FENCED or INVALID_PRODUCER_EPOCH, and no other final error. Otherwise the application takes an ordinary takeover for a bug, and dies.
  Every fix is on but this one: a broker without it does line by line what stands here.
  Generated from the checker's counterexample: make docs

  @trace @tv0 @tv1 @tv2
  Scenario: Counterexample of KAFKA-6119
    FencedHearsFenced falls after 16 steps of the checker's.
    onceproof check fix-6119 --fix-off KAFKA-6119 --property FencedHearsFenced --bound quick=1 --trace gherkin

    Given topic "t" with 1 partition
    And producer A (v4 style) with transactional id "id" and timeout 2000 ms
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    Then the answer is NONE
    When the transaction of "id" times out
    And A produces "a" to t-0
    Then the answer is TRANSACTION_ABORTABLE
