Feature: One lifetime of a transaction
  From the first partition to the last marker, as the old client (AddPartitionsToTxn, EndTxn up to v4) and the new one
  (Produce v12, EndTxn v5) go through it.

  
  @tv0 @tv1 @tv2
  @ADD-05 @ADD-10 @END-14 @MARK-06 @ADM-02 @ADM-03 @ADM-04
  Scenario: With EndTxn v4 the epoch stays and sequences go on
    Given topic "t" with 2 partitions
    And producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    And DescribeTransactions of "id" shows Empty, P0, epoch 0, no partitions
    When A adds partitions t-0 t-1 to the transaction
    Then the answer is NONE
    And DescribeTransactions of "id" shows Ongoing, partitions t-0 t-1
    And ListTransactions shows "id" as Ongoing
    When A produces "a" "b" to t-0
    Then the answer is NONE at offset 0
    When A produces "x" to t-1
    Then the answer is NONE at offset 0
    When A ends the transaction with commit
    Then the answer is NONE
    When A adds partition t-0 to the transaction
    And A produces "c" to t-0
    Then the answer is NONE at offset 3
    When A ends the transaction with commit
    Then the answer is NONE
    And the log of t-0 is:
      | offsets | producer | epoch | sequence | batch  |
      | 0-1     | P0       | 0     | 0        | a b    |
      | 2       | P0       | 0     | -1       | COMMIT |
      | 3       | P0       | 0     | 2        | c      |
      | 4       | P0       | 0     | -1       | COMMIT |
    And the log of t-1 is:
      | offsets | producer | epoch | sequence | batch  |
      | 0       | P0       | 0     | 0        | x      |
      | 1       | P0       | 0     | -1       | COMMIT |

  
  @tv1 @tv2
  @IDEM-40 @ADD-20 @END-08 @END-20 @END-29 @END-30 @ADM-01 @ADM-04
  Scenario: With EndTxn v5 each transaction has its epoch and begins at sequence 0
    Given topic "t" with 2 partitions
    And producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" "b" to t-0
    Then the answer is NONE at offset 0
    When A produces "x" to t-1
    Then the answer is NONE at offset 0
    And DescribeTransactions of "id" shows Ongoing, P0, epoch 0, partitions t-0 t-1
    And ListTransactions shows "id" as Ongoing
    And DescribeProducers of t-0 shows:
      | producer | epoch | last sequence | coordinator epoch | transaction start |
      | P0       | 0     | 1             | -1                | 0                 |
    When A ends the transaction with commit
    Then the answer is NONE with P0 at epoch 1
    When A produces "c" to t-0
    Then the answer is NONE at offset 3
    When A produces "d" to t-0
    Then the answer is NONE at offset 4
    When A ends the transaction with abort
    Then the answer is NONE with P0 at epoch 2
    And the log of t-0 is:
      | offsets | producer | epoch | sequence | batch  |
      | 0-1     | P0       | 0     | 0        | a b    |
      | 2       | P0       | 1     | -1       | COMMIT |
      | 3       | P0       | 1     | 0        | c      |
      | 4       | P0       | 1     | 1        | d      |
      | 5       | P0       | 2     | -1       | ABORT  |
    And the log of t-1 is:
      | offsets | producer | epoch | sequence | batch  |
      | 0       | P0       | 0     | 0        | x      |
      | 1       | P0       | 1     | -1       | COMMIT |

  
  @tv1 @tv2
  @COORD-03 @END-23 @MARK-31 @SM-04 @SM-09
  Scenario: The abort of nothing takes an epoch with EndTxn v5 and writes no marker
    Given topic "t" with 1 partition
    And producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A ends the transaction with abort
    Then the answer is NONE with P0 at epoch 1
    When A ends the transaction with abort
    Then the answer is NONE with P0 at epoch 2
    When A produces "a" to t-0
    Then the answer is NONE at offset 0
    When A ends the transaction with commit
    Then the answer is NONE with P0 at epoch 3
    When A ends the transaction with abort
    Then the answer is NONE with P0 at epoch 4
    And the log of t-0 is:
      | offsets | epoch | batch  |
      | 0       | 2     | a      |
      | 1       | 3     | COMMIT |
    And the transaction log of "id" is:
      | status         | producerEpoch | partitions | clientTransactionVersion |
      | Empty          | 0             | null       | 0                        |
      | PrepareAbort   | 1             | empty      | 2                        |
      | CompleteAbort  | 1             | empty      | 2                        |
      | PrepareAbort   | 2             | empty      | 2                        |
      | CompleteAbort  | 2             | empty      | 2                        |
      | Ongoing        | 2             | t-0        | 2                        |
      | PrepareCommit  | 3             | t-0        | 2                        |
      | CompleteCommit | 3             | empty      | 2                        |
      | PrepareAbort   | 4             | empty      | 2                        |
      | CompleteAbort  | 4             | empty      | 2                        |

  
  @tv1 @tv2
  @COORD-03 @END-26 @SM-04 @SM-09
  Scenario: A transaction begun with AddPartitionsToTxn may be ended with EndTxn v5
    Given topic "t" with 1 partition
    And producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    Then the answer is NONE
    When A produces "a" to t-0 with version 11
    Then the answer is NONE at offset 0
    When A ends the transaction with commit
    Then the answer is NONE with P0 at epoch 1
    And the log of t-0 is:
      | offsets | epoch | batch  |
      | 0       | 0     | a      |
      | 1       | 1     | COMMIT |
    And the transaction log of "id" is:
      | status         | producerEpoch | partitions | clientTransactionVersion |
      | Empty          | 0             | null       | 0                        |
      | Ongoing        | 0             | t-0        | 0                        |
      | PrepareCommit  | 1             | t-0        | 2                        |
      | CompleteCommit | 1             | empty      | 2                        |

  
  @tv1 @tv2
  @COORD-03 @END-27 @SM-04 @SM-09
  Scenario: A transaction begun with Produce v12 may be ended with EndTxn v4, at the same epoch
    Given topic "t" with 1 partition
    And producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0
    Then the answer is NONE at offset 0
    When A ends the transaction with commit with version 4
    Then the answer is NONE
    And the log of t-0 is:
      | offsets | epoch | batch  |
      | 0       | 0     | a      |
      | 1       | 0     | COMMIT |
    And the transaction log of "id" is:
      | status         | producerEpoch | partitions | clientTransactionVersion |
      | Empty          | 0             | null       | 0                        |
      | Ongoing        | 0             | t-0        | 2                        |
      | PrepareCommit  | 0             | t-0        | 0                        |
      | CompleteCommit | 0             | empty      | 0                        |

  
  @tv0 @tv1 @tv2
  @IDEM-44 @IDEM-45
  Scenario: A producer writes outside its transactions, never inside one
    Given topic "t" with 1 partition
    And producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    And A produces "a" to t-0
    Then the answer is NONE at offset 0
    When A produces "x" to t-0 without the transactional flag with sequence 1
    Then the answer is INVALID_TXN_STATE
    When A ends the transaction with commit
    Then the answer is NONE
    And the latest offset of t-0 is 2 read_uncommitted and 2 read_committed
    When A produces "p" to t-0 without the transactional flag with sequence 1
    Then the answer is NONE at offset 2
    When A adds partition t-0 to the transaction
    And A produces "b" to t-0 with sequence 2
    Then the answer is NONE at offset 3
    When A ends the transaction with abort
    Then the answer is NONE
    And a read_committed consumer of t-0 reads a@0 p@2 and stands at 5

  
  @tv0 @alone
  @INIT-21 @ADD-05 @ADD-11 @ADD-24 @ADD-28 @END-13
  Scenario: At transaction.version 0 a request of the new protocol stops its transactional id for good
    Given topic "t" with 1 partition
    And producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A sends Produce("a" to t-0) once
    Then the answer is UNSUPPORTED_VERSION
    When A sends EndTxn(abort, version 4) once
    Then the answer is CONCURRENT_TRANSACTIONS
    When A sends InitProducerId once
    Then the answer is CONCURRENT_TRANSACTIONS
    When A sends AddPartitionsToTxn(t-0) once
    Then the answer is CONCURRENT_TRANSACTIONS
    When A sends AddPartitionsToTxn(t-0, verify only) once
    Then the answer is TRANSACTION_ABORTABLE
    And DescribeTransactions of "id" shows Empty, P0, epoch 0, no partitions
