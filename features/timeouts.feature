Feature: Transaction timeouts
  A transaction that stays open for longer than its timeout is aborted by the coordinator, with one epoch more.

  Background:
    Given topic "t" with 1 partition

  
  @tv2
  @IDEM-24 @INIT-33 @INIT-40 @END-10 @END-13 @END-24 @TMO-02 @TMO-04 @TMO-06
  Scenario: At transaction.version 2 a producer that timed out may end its transaction late, and goes on
    Given producer A (v5 style) with transactional id "id" and timeout 2000 ms
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0
    Then the answer is NONE at offset 0
    When the transaction of "id" times out
    Then DescribeTransactions of "id" shows CompleteAbort, P0, epoch 1, timeout 2000, no partitions
    When A produces "b" to t-0
    Then the answer is INVALID_PRODUCER_EPOCH
    When A ends the transaction with commit
    Then the answer is INVALID_TXN_STATE, or PRODUCER_FENCED by KAFKA-20785
    When A ends the transaction with commit with version 4
    Then the answer is PRODUCER_FENCED
    When A ends the transaction with abort
    Then the answer is NONE with P0 at epoch 1
    When A produces "c" to t-0
    Then the answer is NONE at offset 2
    When A ends the transaction with commit
    Then the answer is NONE with P0 at epoch 2
    And a read_committed consumer of t-0 reads c@2 and stands at 4

  
  @tv0 @tv1
  @IDEM-24 @INIT-28 @INIT-32 @ADD-04 @ADD-06 @END-10 @END-13 @TMO-02 @TMO-04 @TMO-05
  Scenario: Below transaction.version 2 a producer that timed out is fenced
    Given producer A (v4 style) with transactional id "id" and timeout 2000 ms
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    And A produces "a" to t-0
    Then the answer is NONE at offset 0
    When the transaction of "id" times out
    Then DescribeTransactions of "id" shows CompleteAbort, P0, epoch 1, timeout 2000, no partitions
    When A produces "b" to t-0
    Then the answer is INVALID_PRODUCER_EPOCH
    When A ends the transaction with commit
    Then the answer is PRODUCER_FENCED
    When A ends the transaction with abort
    Then the answer is PRODUCER_FENCED
    When A sends AddPartitionsToTxn(t-0)
    Then the answer is PRODUCER_FENCED
    When A sends InitProducerId(producer id P0, epoch 0)
    Then the answer is PRODUCER_FENCED
    When A sends InitProducerId
    Then A is granted producer id P0 at epoch 2
    And the log of t-0 is:
      | offsets | epoch | batch |
      | 0       | 0     | a     |
      | 1       | 1     | ABORT |

  
  @tv2
  @INIT-27 @INIT-33 @INIT-34 @INIT-40 @COORD-03 @TMO-02 @TMO-04 @TMO-06 @SM-04 @SM-09
  Scenario: At transaction.version 2 the identity that timed out is given the next epoch
    Given producer A (v5 style) with transactional id "id" and timeout 2000 ms
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0
    Then the answer is NONE at offset 0
    When the transaction of "id" times out
    And A sends InitProducerId(producer id P0, epoch 0)
    Then A is granted producer id P0 at epoch 1
    And the transaction log of "id" is:
      | status        | producerEpoch | partitions | clientTransactionVersion |
      | Empty         | 0             | null       | 0                        |
      | Ongoing       | 0             | t-0        | 2                        |
      | PrepareAbort  | 1             | t-0        | 2                        |
      | CompleteAbort | 1             | empty      | 2                        |
      | Empty         | 1             | null       | 2                        |

  
  @tv1
  @INIT-32 @END-24 @TMO-02 @TMO-04 @TMO-05
  Scenario: At transaction.version 1 EndTxn v5 repairs a timeout as at 2
    Given producer A (v5 style) with transactional id "id" and timeout 2000 ms
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0
    Then the answer is NONE at offset 0
    When the transaction of "id" times out
    And A ends the transaction with commit
    Then the answer is INVALID_TXN_STATE, or PRODUCER_FENCED by KAFKA-20785
    When A ends the transaction with abort
    Then the answer is NONE with P0 at epoch 1
    And a read_committed consumer of t-0 reads nothing and stands at 2

  
  @tv0 @tv1 @tv2
  @INIT-32 @INIT-33 @INIT-40 @TMO-02 @TMO-04 @TMO-05 @TMO-06
  Scenario: The clock runs from the first partition, not from InitProducerId, and only while a transaction is open
    Given producer A (v4 style) with transactional id "id" and timeout 9000 ms
    And producer B with transactional id "other" and timeout 2000 ms
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When B sends InitProducerId until it is granted
    And B writes "b" to t-0
    Then the answer is NONE at offset 0
    When the transaction of "other" times out
    Then DescribeTransactions of "id" shows Empty, P0, epoch 0
    When A adds partition t-0 to the transaction
    And A produces "a" to t-0
    Then the answer is NONE at offset 2
    When A ends the transaction with commit
    Then the answer is NONE
    And a read_committed consumer of t-0 reads a@2 and stands at 4
