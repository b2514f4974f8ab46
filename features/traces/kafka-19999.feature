Feature: KAFKA-19999: a repeated marker is refused at TV2: after a crash the transaction stays in Prepare for ever
  CanStillEnd: From every state, one with every transaction ended, LSO = HW and no client waiting can be reached by deliveries, answers, resends, timeouts and reload alone. Otherwise a transaction hangs, and read_committed consumers stand still for ever; or a client asks again for ever.
  Every fix is on but this one: a broker without it does line by line what stands here.
  Generated from the checker's counterexample: make docs

  @trace @tv1 @tv2
  Scenario: Counterexample of KAFKA-19999
    CanStillEnd falls after 15 steps of the checker's.
    The coordinator's marker is written, its answer is lost, and it sends the marker again. The tester stands in for the first copy, early: to the leader it is the same.
    onceproof check fix-19999 --fix-off KAFKA-19999 --property CanStillEnd --bound marker-faults=1,crashes=0,quick=1 --trace gherkin

    Given topic "t" with 1 partition
    And producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0
    Then the answer is NONE at offset 0
    When A sends WriteTxnMarkers(commit, t-0, epoch 1, transaction version 2)
    Then the answer is NONE
    When A ends the transaction with commit
    Then the answer is NONE with P0 at epoch 1
    And the transaction of "id" stays in PrepareCommit
    And DescribeTransactions of "id" shows PrepareCommit, P0, epoch 1, partitions t-0
    And the log of t-0 is:
      | offsets | epoch | batch  |
      | 0       | 0     | a      |
      | 1       | 1     | COMMIT |
    And the latest offset of t-0 is 2 read_uncommitted and 2 read_committed
    And a read_committed consumer of t-0 reads a@0 and stands at 2
