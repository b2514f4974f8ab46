Feature: KAFKA-20785: EndTxn(commit) after a timeout hears INVALID_TXN_STATE
  FencedHearsFenced: Who lost its transaction to the coordinator, or was fenced, hears PRODUCER_FENCED or INVALID_PRODUCER_EPOCH, and no other final error. Otherwise the application takes an ordinary takeover for a bug, and dies.
  Every fix is on but this one: a broker without it does line by line what stands here.
  Generated from the checker's counterexample: make docs

  @trace @tv1 @tv2
  Scenario: Counterexample of KAFKA-20785
    FencedHearsFenced falls after 17 steps of the checker's.
    onceproof check fix-20785 --fix-off KAFKA-20785 --property FencedHearsFenced --bound quick=1 --trace gherkin

    Given topic "t" with 1 partition
    And producer A (v5 style) with transactional id "id" and timeout 2000 ms
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0
    Then the answer is NONE at offset 0
    When the transaction of "id" times out
    And A ends the transaction with commit
    Then the answer is INVALID_TXN_STATE
