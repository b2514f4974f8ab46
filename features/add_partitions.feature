Feature: Adding and verifying partitions
  A partition belongs to a transaction once the coordinator has logged it. Its leader asks before the first batch.

  Background:
    Given topic "t" with 3 partitions

  
  @tv0 @tv1 @tv2
  @ADD-02 @ADD-03
  Scenario: A partition that does not exist leaves the others out as well
    Given producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A sends AddPartitionsToTxn(t-0, t-8) once
    Then the answer for t-8 is UNKNOWN_TOPIC_OR_PARTITION
    And the answer for t-0 is OPERATION_NOT_ATTEMPTED
    And DescribeTransactions of "id" shows Empty, no partitions
    When A sends AddPartitionsToTxn(t-0, an empty transactional id)
    Then the answer is INVALID_REQUEST

  
  @tv0 @tv1 @tv2
  @COORD-03 @ADD-04 @ADD-06 @SM-04 @SM-09
  Scenario: Adding what is there already writes nothing, another partition writes the union
    Given producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-1 to the transaction
    Then the answer is NONE
    When A adds partition t-1 to the transaction
    Then the answer is NONE
    When A adds partitions t-0 t-1 to the transaction
    Then the answer is NONE
    When A sends AddPartitionsToTxn(t-2, epoch 1)
    Then the answer is PRODUCER_FENCED
    And the transaction log of "id" is:
      | status  | producerEpoch | partitions |
      | Empty   | 0             | null       |
      | Ongoing | 0             | t-1        |
      | Ongoing | 0             | t-0 t-1    |

  
  @tv0 @tv1 @tv2
  @ADD-10 @ADD-11 @END-14 @MARK-12 @MARK-15
  Scenario: Verifying tells which partitions are in the open transaction
    Given producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A sends AddPartitionsToTxn(t-0, verify only)
    Then the answer is TRANSACTION_ABORTABLE
    When A adds partition t-0 to the transaction
    And A sends AddPartitionsToTxn(t-0, verify only)
    Then the answer is NONE
    When A sends AddPartitionsToTxn(t-0 t-1, verify only)
    Then the answer for t-0 is NONE
    And the answer for t-1 is TRANSACTION_ABORTABLE
    When A sends AddPartitionsToTxn(t-0, verify only, epoch 1)
    Then the answer is PRODUCER_FENCED
    When A ends the transaction with abort
    Then the answer is NONE
    When the transaction of "id" completes
    And A sends AddPartitionsToTxn(t-0, verify only)
    Then the answer is TRANSACTION_ABORTABLE

  
  @tv0 @tv1 @tv2 @alone
  @ADD-11 @ADD-23 @VER-06 @LSO-01 @READ-12
  Scenario: A batch for a partition that was not added is refused, in words that the client knows
    Given producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0
    Then the answer is TRANSACTION_ABORTABLE
    When A produces "a" to t-0 with version 10
    Then the answer is INVALID_TXN_STATE
    When A adds partition t-0 to the transaction
    And A produces "a" to t-0
    Then the answer is NONE at offset 0
    When A produces "b" to t-1 with version 9
    Then the answer is INVALID_TXN_STATE
    And the latest offset of t-1 is 0 read_uncommitted and 0 read_committed

  
  @tv0 @tv1 @tv2
  @ADD-05 @ADD-24 @MARK-06 @MARK-12 @MARK-15 @MARK-34 @LSO-01 @READ-12 @ADM-05 @ADM-06
  Scenario: While a decision waits for its markers nothing is added and nothing is written
    Given producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    And A sends WriteTxnMarkers(abort, t-0, epoch 50)
    And A ends the transaction with commit
    Then the answer is NONE
    When A sends AddPartitionsToTxn(t-1) once
    Then the answer is CONCURRENT_TRANSACTIONS
    When A sends AddPartitionsToTxn(t-1, producer id 1234567890) once
    Then the answer is CONCURRENT_TRANSACTIONS
    When A sends AddPartitionsToTxn(t-0, verify only) once
    Then the answer is CONCURRENT_TRANSACTIONS
    When A sends Produce("x" to t-1) once
    Then the answer is NOT_ENOUGH_REPLICAS
    And the latest offset of t-1 is 0 read_uncommitted and 0 read_committed

  
  @tv1 @tv2
  @ADD-05 @ADD-20 @ADD-24 @ADD-25 @END-08 @END-20 @END-29 @END-30 @MARK-07 @MARK-34 @ADM-05 @ADM-06
  Scenario: Produce v12 hears that the transaction before is not done yet
    Given producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0
    And A sends WriteTxnMarkers(abort, t-0, epoch 50)
    And A ends the transaction with commit
    Then the answer is NONE with P0 at epoch 1
    When A sends Produce("x" to t-1) once
    Then the answer is CONCURRENT_TRANSACTIONS
    And the latest offset of t-1 is 0 read_uncommitted and 0 read_committed

  
  @tv1 @tv2
  @IDEM-33 @ADD-04 @ADD-29
  Scenario: A batch that is refused has opened the transaction already
    Given producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "x" to t-0 with sequence 3
    Then the answer is OUT_OF_ORDER_SEQUENCE_NUMBER
    And DescribeTransactions of "id" shows Ongoing, P0, epoch 0, partitions t-0
    When A produces "a" to t-0 with sequence 0
    Then the answer is NONE at offset 0
    When A ends the transaction with commit
    Then the answer is NONE with P0 at epoch 1

  
  @tv1 @tv2
  @COORD-03 @ADD-04 @MARK-12 @MARK-15 @SM-04 @SM-09
  Scenario: Adding as a leader does is Produce v12 in two parts
    Given producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A sends AddPartitionsToTxn(t-0 t-2, version 4)
    Then the answer is NONE
    And DescribeTransactions of "id" shows Ongoing, P0, partitions t-0 t-2
    When A produces "a" to t-0
    Then the answer is NONE at offset 0
    When A ends the transaction with abort
    Then the answer is NONE with P0 at epoch 1
    And the log of t-2 is:
      | offsets | epoch | batch |
      | 0       | 1     | ABORT |
    And the transaction log of "id" is:
      | status        | producerEpoch | partitions | clientTransactionVersion |
      | Empty         | 0             | null       | 0                        |
      | Ongoing       | 0             | t-0 t-2    | 2                        |
      | PrepareAbort  | 1             | t-0 t-2    | 2                        |
      | CompleteAbort | 1             | empty      | 2                        |

  
  @tv1 @tv2
  @IDEM-33 @IDEM-40 @ADD-29 @MARK-15 @MARK-16
  Scenario: The new protocol's first batch after a marker begins at 0, the old one's too
    Given producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" "b" to t-0
    And A ends the transaction with commit
    Then the answer is NONE with P0 at epoch 1
    When A produces "x" to t-0 with sequence 2
    Then the answer is OUT_OF_ORDER_SEQUENCE_NUMBER
    When A ends the transaction with abort
    Then the answer is NONE with P0 at epoch 2
    When A adds partition t-0 to the transaction
    And A produces "x" to t-0 with sequence 1 with version 11
    Then the answer is OUT_OF_ORDER_SEQUENCE_NUMBER
    When A produces "c" to t-0 with sequence 0 with version 11
    Then the answer is NONE at offset 4

  
  @tv0 @tv1 @tv2
  @IDEM-14 @IDEM-47
  Scenario: A transactional batch without producer id is not asked about and holds nothing up
    Given producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0 with producer id -1 at epoch -1 with sequence -1
    Then the answer is NONE at offset 0
    And the latest offset of t-0 is 1 read_uncommitted and 1 read_committed
    And a read_committed consumer of t-0 reads a@0 and stands at 1
    And DescribeTransactions of "id" shows Empty, no partitions
