Feature: KAFKA-14884: a verified batch is appended though its transaction ended meanwhile
  CanStillEnd: From every state, one with every transaction ended, LSO = HW and no client waiting can be reached by deliveries, answers, resends, timeouts and reload alone. Otherwise a transaction hangs, and read_committed consumers stand still for ever; or a client asks again for ever.
  Every fix is on but this one: a broker without it does line by line what stands here.
  Generated from the checker's counterexample: make docs

  @trace @tv0 @tv1 @tv2 @inside
  Scenario: Counterexample of KAFKA-14884
    CanStillEnd falls after 16 steps of the checker's.
    What goes on inside the broker can't be placed from outside; with --bound quick=1 the checker looks for what can.
    onceproof check fix-14884 --fix-off KAFKA-14884 --property CanStillEnd --trace gherkin

    Given topic "t" with 1 partition
    And producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    Then the answer is NONE
    When A's Produce("a" to t-0) is under way as "batch"
    And inside the broker, the coordinator's reply to t-0's leader is held
    And A ends the transaction with abort
    Then the answer is NONE
    When inside the broker, the append of the coordinator is acknowledged
    And inside the broker, t-0's leader receives the marker ABORT, producer P0 epoch 0
    And inside the broker, t-0's leader receives the coordinator's reply: NONE
    And "batch" is answered
    Then the answer is NONE at offset 1
    When inside the broker, everything else goes on
    Then DescribeTransactions of "id" shows CompleteAbort, P0, epoch 0
    And the log of t-0 is:
      | offsets | epoch | batch |
      | 0       | 0     | ABORT |
      | 1       | 0     | a     |
    And the latest offset of t-0 is 2 read_uncommitted and 1 read_committed
    And a read_committed consumer of t-0 reads nothing and stands at 1
