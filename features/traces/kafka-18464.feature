Feature: KAFKA-18464: EndTxn v5 looks at the epoch before the transition in progress: the owner is fenced by its own commit
  OwnerNotRefused: The owner of the transactional id, following the protocol, is never refused as fenced, as unknown, in a wrong state, or with its next batch out of order. Otherwise a healthy application dies.
  Every fix is on but this one: a broker without it does line by line what stands here.
  Generated from the checker's counterexample: make docs

  @trace @tv1 @tv2
  Scenario: Counterexample of KAFKA-18464
    OwnerNotRefused falls after 21 steps of the checker's.
    A marker of the tester's, far ahead in epoch, makes the partition refuse the coordinator's: the transaction stays in Prepare (MARK-34).
    onceproof check fix-18464 --fix-off KAFKA-18464 --property OwnerNotRefused --bound quick=1,holds=1 --trace gherkin

    Given topic "t" with 1 partition
    And producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0
    Then the answer is NONE at offset 0
    When A sends WriteTxnMarkers(abort, t-0, epoch 1000)
    Then the answer is NONE
    When A ends the transaction with commit
    Then the answer is NONE with P0 at epoch 1
    When A sends EndTxn(abort) once
    Then the answer is PRODUCER_FENCED
