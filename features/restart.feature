Feature: Restarts
  What a broker still knows after it was stopped and started: the coordinator's log, and of each producer the last batch.

  
  @tv0 @tv1 @tv2 @restart
  @IDEM-15 @IDEM-17 @INIT-05 @INIT-29 @LSO-02 @FO-03 @FO-10 @FO-11 @FO-12
  Scenario: After a restart only the last batch of each producer is known, and transactions go on
    Given topic "t" with 1 partition
    And producer N without transactional id
    And producer M without transactional id
    And producer A with transactional id "id"
    When N sends InitProducerId until it is granted
    Then N is granted producer id P0 at epoch 0
    When N produces "n0" to t-0
    And N produces "n1" to t-0
    And N produces "n2" to t-0
    And A sends InitProducerId until it is granted
    Then A is granted producer id P1 at epoch 0
    When A writes "a3" to t-0
    Then the answer is NONE at offset 3
    When the broker is restarted
    And M sends InitProducerId until it is granted
    Then M is granted producer id P2 at epoch 0
    When N produces "n2" to t-0 with sequence 2
    Then the answer is NONE at offset 2
    When N produces "n1" to t-0 with sequence 1
    Then the answer is OUT_OF_ORDER_SEQUENCE_NUMBER
    And DescribeTransactions of "id" shows Ongoing, P1, epoch 0, partitions t-0
    And the latest offset of t-0 is 4 read_uncommitted and 3 read_committed
    When A produces "a4" to t-0
    Then the answer is NONE at offset 4
    When A ends the transaction with commit
    Then the answer code is NONE
    And a read_committed consumer of t-0 reads n0@0 n1@1 n2@2 a3@3 a4@4 and stands at 6

  
  @tv1 @tv2 @restart
  @INIT-26 @INIT-28 @INIT-29 @FO-03 @FO-10 @FO-11 @FO-12
  Scenario: After a crash the end of the last transaction may still be repeated, InitProducerId may not
    Given topic "t" with 1 partition
    And producer A (v5 style) with transactional id "id"
    And producer B (v4 style) with transactional id "other"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0
    And A sends EndTxn(commit) and the answer is lost
    And the transaction of "id" completes
    And B sends InitProducerId until it is granted
    Then B is granted producer id P1 at epoch 0
    When B sends InitProducerId(producer id P1, epoch 0)
    Then B is granted producer id P1 at epoch 1
    When the broker crashes and comes back
    And A ends the transaction with commit
    Then the answer is NONE with P0 at epoch 1
    When B sends InitProducerId(producer id P1, epoch 0)
    Then the answer is PRODUCER_FENCED, or NONE with P1 at epoch 1 by KAFKA-20357
    And a read_committed consumer of t-0 reads a@0 and stands at 2

  
  @tv0 @tv1 @tv2 @restart
  @INIT-29 @END-13 @MARK-12 @MARK-34 @MARK-39 @ADM-06 @FO-03 @FO-10 @FO-11 @FO-12
  Scenario: A new coordinator sends the markers of a decision again
    Given topic "t" with 2 partitions
    And producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    And A ends the transaction with abort
    Then the answer is NONE
    And the log of t-0 is:
      | offsets | producer | epoch | batch | coordinator epoch |
      | 0       | P0       | 0     | ABORT | C0                |
    When A adds partitions t-0 t-1 to the transaction
    And A produces "a" to t-0
    And A sends WriteTxnMarkers(abort, t-1, epoch 9, coordinator epoch C0)
    Then the answer is NONE
    When A ends the transaction with commit
    Then the answer is NONE
    And a read_committed consumer of t-0 reads a@1 and stands at 3
    And DescribeTransactions of "id" shows PrepareCommit, P0, epoch 0, partitions t-1
    When the broker is restarted
    Then the log of t-0 is:
      | offsets | producer | epoch | batch  | coordinator epoch |
      | 0       | P0       | 0     | ABORT  | C0                |
      | 1       | P0       | 0     | a      |                   |
      | 2       | P0       | 0     | COMMIT | C0                |
      | 3       | P0       | 0     | COMMIT | C1                |
    And DescribeTransactions of "id" shows PrepareCommit, P0, epoch 0, partitions t-1
    When A sends EndTxn(commit) once
    Then the answer is CONCURRENT_TRANSACTIONS
