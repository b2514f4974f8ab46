Feature: The worked examples
  Three walks through the protocol, to the letter: every answer, every batch in the log, every record of the
  coordinator.

  
  @tv2
  @IDEM-23 @IDEM-28 @IDEM-30 @IDEM-40 @IDEM-43 @INIT-07 @INIT-20 @INIT-25 @INIT-38 @INIT-39 @COORD-03
  @COORD-09 @ADD-07 @ADD-08 @ADD-20 @ADD-21 @ADD-27 @END-02 @END-04 @END-07 @END-08 @END-20 @END-29 @MARK-13
  @MARK-14 @MARK-17 @MARK-32 @MARK-40 @VER-01 @VER-03 @LSO-01 @LSO-02 @READ-02 @READ-03 @READ-04 @READ-05
  @READ-06 @READ-07 @READ-08 @READ-11 @READ-12 @ADM-01 @ADM-02 @ADM-03 @ADM-04 @SM-01 @SM-04 @SM-09
  Scenario: Example 1 with Produce v12 and EndTxn v5: commit, abort, commit
    Given transaction.version is finalized at 2 and supported from 0 to 2
    And the id "u12-txn" belongs to partition 23 of 50
    And topic "u12-txn" with 1 partition
    And producer A (v5 style) with transactional id "u12-txn"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "c1" to u12-txn-0
    Then the answer is NONE at offset 0
    When A produces "c2" "c3" to u12-txn-0
    Then the answer is NONE at offset 1
    When A ends the transaction with commit
    Then the answer is NONE with P0 at epoch 1
    When A produces "a1" "a2" "a3" to u12-txn-0
    Then the answer is NONE at offset 4
    And the latest offset of u12-txn-0 is 7 read_uncommitted and 4 read_committed
    When A ends the transaction with abort
    Then the answer is NONE with P0 at epoch 2
    When A produces "c4" "c5" to u12-txn-0
    Then the answer is NONE at offset 8
    When A ends the transaction with commit
    Then the answer is NONE with P0 at epoch 3
    And the latest offset of u12-txn-0 is 11 read_uncommitted and 11 read_committed
    And a read_uncommitted consumer of u12-txn-0 reads c1@0 c2@1 c3@2 a1@4 a2@5 a3@6 c4@8 c5@9 and stands at 11
    And a read_committed consumer of u12-txn-0 reads c1@0 c2@1 c3@2 c4@8 c5@9 and stands at 11
    And the aborted list of u12-txn-0 from 0 is P0 from 4
    And DescribeTransactions of "u12-txn" shows CompleteCommit, P0, epoch 3, timeout 60000, no partitions
    And ListTransactions shows "u12-txn" as CompleteCommit
    And DescribeProducers of u12-txn-0 shows:
      | producer | epoch | last sequence | coordinator epoch | transaction start |
      | P0       | 3     | -1            | C0                | -1                |
    And the log of u12-txn-0 is:
      | offsets | producer | epoch | sequence | batch    | coordinator epoch |
      | 0-0     | P0       | 0     | 0        | c1       |                   |
      | 1-2     | P0       | 0     | 1        | c2 c3    |                   |
      | 3       | P0       | 1     | -1       | COMMIT   | C0                |
      | 4-6     | P0       | 1     | 0        | a1 a2 a3 |                   |
      | 7       | P0       | 2     | -1       | ABORT    | C0                |
      | 8-9     | P0       | 2     | 0        | c4 c5    |                   |
      | 10      | P0       | 3     | -1       | COMMIT   | C0                |
    And the transaction log of "u12-txn" is:
      | status         | producer | previousProducer | producerEpoch | lastProducerEpoch | partitions | clientTransactionVersion | value version | timeout |
      | Empty          | P0       | P0               | 0             | absent            | null       | 0                        | 1             | 60000   |
      | Ongoing        | P0       | P0               | 0             | absent            | u12-txn-0  | 2                        | 1             | 60000   |
      | PrepareCommit  | P0       | P0               | 1             | 0                 | u12-txn-0  | 2                        | 1             | 60000   |
      | CompleteCommit | P0       | P0               | 1             | 0                 | empty      | 2                        | 1             | 60000   |
      | Ongoing        | P0       | P0               | 1             | 0                 | u12-txn-0  | 2                        | 1             | 60000   |
      | PrepareAbort   | P0       | P0               | 2             | 1                 | u12-txn-0  | 2                        | 1             | 60000   |
      | CompleteAbort  | P0       | P0               | 2             | 1                 | empty      | 2                        | 1             | 60000   |
      | Ongoing        | P0       | P0               | 2             | 1                 | u12-txn-0  | 2                        | 1             | 60000   |
      | PrepareCommit  | P0       | P0               | 3             | 2                 | u12-txn-0  | 2                        | 1             | 60000   |
      | CompleteCommit | P0       | P0               | 3             | 2                 | empty      | 2                        | 1             | 60000   |

  
  @tv0 @tv1 @tv2
  @IDEM-28 @IDEM-30 @IDEM-43 @INIT-07 @INIT-20 @INIT-25 @INIT-38 @INIT-39 @COORD-03 @COORD-09 @ADD-07 @ADD-08
  @ADD-10 @ADD-21 @ADD-27 @END-02 @END-04 @END-07 @END-14 @MARK-06 @MARK-13 @MARK-14 @MARK-17 @MARK-32
  @MARK-40 @VER-01 @VER-03 @LSO-01 @LSO-02 @READ-02 @READ-03 @READ-04 @READ-06 @READ-07 @READ-08 @READ-11
  @READ-12 @ADM-01 @ADM-02 @ADM-03 @ADM-04 @SM-01 @SM-04 @SM-09
  Scenario: Example 1 with Produce v11 and EndTxn v4: commit, abort, commit at one epoch
    Given topic "u12-txn" with 1 partition
    And producer A (v4 style) with transactional id "u12-txn"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition u12-txn-0 to the transaction
    Then the answer is NONE
    When A produces "c1" to u12-txn-0
    Then the answer is NONE at offset 0
    When A produces "c2" "c3" to u12-txn-0
    Then the answer is NONE at offset 1
    When A ends the transaction with commit
    Then the answer is NONE
    When A adds partition u12-txn-0 to the transaction
    Then the answer is NONE
    When A produces "a1" "a2" "a3" to u12-txn-0 with sequence 3
    Then the answer is NONE at offset 4
    And the latest offset of u12-txn-0 is 7 read_uncommitted and 4 read_committed
    When A ends the transaction with abort
    Then the answer is NONE
    When A adds partition u12-txn-0 to the transaction
    Then the answer is NONE
    When A produces "c4" "c5" to u12-txn-0 with sequence 6
    Then the answer is NONE at offset 8
    When A ends the transaction with commit
    Then the answer is NONE
    And the latest offset of u12-txn-0 is 11 read_uncommitted and 11 read_committed
    And a read_uncommitted consumer of u12-txn-0 reads c1@0 c2@1 c3@2 a1@4 a2@5 a3@6 c4@8 c5@9 and stands at 11
    And a read_committed consumer of u12-txn-0 reads c1@0 c2@1 c3@2 c4@8 c5@9 and stands at 11
    And the aborted list of u12-txn-0 from 0 is P0 from 4
    And DescribeTransactions of "u12-txn" shows CompleteCommit, P0, epoch 0, timeout 60000, no partitions
    And ListTransactions shows "u12-txn" as CompleteCommit
    And DescribeProducers of u12-txn-0 shows:
      | producer | epoch | last sequence | coordinator epoch | transaction start |
      | P0       | 0     | 7             | C0                | -1                |
    And the log of u12-txn-0 is:
      | offsets | producer | epoch | sequence | batch    | coordinator epoch |
      | 0-0     | P0       | 0     | 0        | c1       |                   |
      | 1-2     | P0       | 0     | 1        | c2 c3    |                   |
      | 3       | P0       | 0     | -1       | COMMIT   | C0                |
      | 4-6     | P0       | 0     | 3        | a1 a2 a3 |                   |
      | 7       | P0       | 0     | -1       | ABORT    | C0                |
      | 8-9     | P0       | 0     | 6        | c4 c5    |                   |
      | 10      | P0       | 0     | -1       | COMMIT   | C0                |
    And the transaction log of "u12-txn" is:
      | status         | producer | producerEpoch | partitions | clientTransactionVersion |
      | Empty          | P0       | 0             | null       | 0                        |
      | Ongoing        | P0       | 0             | u12-txn-0  | 0                        |
      | PrepareCommit  | P0       | 0             | u12-txn-0  | 0                        |
      | CompleteCommit | P0       | 0             | empty      | 0                        |
      | Ongoing        | P0       | 0             | u12-txn-0  | 0                        |
      | PrepareAbort   | P0       | 0             | u12-txn-0  | 0                        |
      | CompleteAbort  | P0       | 0             | empty      | 0                        |
      | Ongoing        | P0       | 0             | u12-txn-0  | 0                        |
      | PrepareCommit  | P0       | 0             | u12-txn-0  | 0                        |
      | CompleteCommit | P0       | 0             | empty      | 0                        |

  
  @tv0 @tv1 @tv2
  @IDEM-15 @IDEM-16 @IDEM-17 @IDEM-21 @IDEM-23 @IDEM-28 @IDEM-30 @INIT-05 @INIT-07 @READ-02
  Scenario: Example 2, idempotence without a client
    Given topic "u12-idem" with 1 partition
    And producer A without transactional id
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces 3 records to u12-idem-0
    Then the answer is NONE at offset 0
    When the request is sent again on another connection
    Then the answer is NONE at offset 0
    When A produces 1 record to u12-idem-0 with sequence 5
    Then the answer is OUT_OF_ORDER_SEQUENCE_NUMBER at offset -1
    When A produces 3 records to u12-idem-0 with sequence 3
    Then the answer is NONE at offset 3
    When A produces 3 records to u12-idem-0 with sequence 6
    Then the answer is NONE at offset 6
    When A produces 3 records to u12-idem-0 with sequence 9
    Then the answer is NONE at offset 9
    When A produces 3 records to u12-idem-0 with sequence 12
    Then the answer is NONE at offset 12
    When A produces 3 records to u12-idem-0 with sequence 15
    Then the answer is NONE at offset 15
    When A produces 3 records to u12-idem-0 with sequence 0
    Then the answer is OUT_OF_ORDER_SEQUENCE_NUMBER at offset -1
    And the log of u12-idem-0 is:
      | offsets | producer | epoch | sequence | batch          |
      | 0-2     | P0       | 0     | 0        | plain r0 r1 r2 |
      | 3-5     | P0       | 0     | 3        | plain r0 r1 r2 |
      | 6-8     | P0       | 0     | 6        | plain r0 r1 r2 |
      | 9-11    | P0       | 0     | 9        | plain r0 r1 r2 |
      | 12-14   | P0       | 0     | 12       | plain r0 r1 r2 |
      | 15-17   | P0       | 0     | 15       | plain r0 r1 r2 |

  
  @tv2
  @IDEM-24 @IDEM-25 @IDEM-28 @IDEM-43 @INIT-07 @INIT-20 @INIT-25 @INIT-31 @INIT-33 @INIT-38 @INIT-39 @INIT-40
  @COORD-03 @COORD-09 @ADD-07 @ADD-08 @ADD-20 @ADD-21 @ADD-27 @END-02 @END-04 @END-07 @END-08 @MARK-13
  @MARK-14 @MARK-17 @MARK-32 @MARK-40 @VER-01 @VER-03 @READ-02 @READ-03 @READ-06 @READ-08 @READ-11 @SM-01
  @SM-03 @SM-04 @SM-09
  Scenario: Example 3 with EndTxn v5: two producers, one transactional id
    Given topic "u12-fence" with 1 partition
    And producer A (v5 style) with transactional id "u12-fence"
    And producer B (v5 style) with transactional id "u12-fence"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "z1" to u12-fence-0
    Then the answer is NONE at offset 0
    When B sends InitProducerId once
    Then the answer is CONCURRENT_TRANSACTIONS
    When B sends InitProducerId until it is granted
    Then B is granted producer id P0 at epoch 2
    When A produces "z2" to u12-fence-0
    Then the answer is INVALID_PRODUCER_EPOCH
    When A sends EndTxn(commit)
    Then the answer is PRODUCER_FENCED
    When B produces "y1" to u12-fence-0
    Then the answer is NONE at offset 2
    When B ends the transaction with commit
    Then the answer is NONE with P0 at epoch 3
    And a read_uncommitted consumer of u12-fence-0 reads z1@0 y1@2 and stands at 4
    And a read_committed consumer of u12-fence-0 reads y1@2 and stands at 4
    And the log of u12-fence-0 is:
      | offsets | producer | epoch | batch  | coordinator epoch |
      | 0       | P0       | 0     | z1     |                   |
      | 1       | P0       | 1     | ABORT  | C0                |
      | 2       | P0       | 2     | y1     |                   |
      | 3       | P0       | 3     | COMMIT | C0                |
    And the transaction log of "u12-fence" is:
      | status         | producerEpoch |
      | Empty          | 0             |
      | Ongoing        | 0             |
      | PrepareAbort   | 1             |
      | CompleteAbort  | 1             |
      | Empty          | 2             |
      | Ongoing        | 2             |
      | PrepareCommit  | 3             |
      | CompleteCommit | 3             |

  
  @tv0 @tv1
  @IDEM-24 @IDEM-25 @IDEM-43 @INIT-20 @INIT-25 @INIT-31 @INIT-32 @INIT-38 @INIT-39 @COORD-09 @ADD-07 @ADD-08
  @ADD-10 @ADD-21 @ADD-27 @END-02 @END-04 @END-07 @END-10 @END-13 @MARK-06 @MARK-13 @MARK-14 @MARK-17
  @MARK-32 @MARK-40 @VER-01 @VER-03 @READ-03 @READ-04 @READ-06 @READ-07 @READ-08 @READ-11 @ADM-02 @ADM-03
  @SM-01
  Scenario: Example 3 with EndTxn v4: two producers, one transactional id
    Given topic "u12-fence" with 1 partition
    And producer A (v4 style) with transactional id "u12-fence"
    And producer B (v4 style) with transactional id "u12-fence"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition u12-fence-0 to the transaction
    And A produces "z1" to u12-fence-0
    Then the answer is NONE at offset 0
    When B sends InitProducerId once
    Then the answer is CONCURRENT_TRANSACTIONS
    When B sends InitProducerId until it is granted
    Then B is granted producer id P0 at epoch 2
    When A produces "z2" to u12-fence-0
    Then the answer is INVALID_PRODUCER_EPOCH
    When A sends EndTxn(commit)
    Then the answer is PRODUCER_FENCED
    When B adds partition u12-fence-0 to the transaction
    And B produces "y1" to u12-fence-0
    Then the answer is NONE at offset 2
    When B ends the transaction with commit
    Then the answer is NONE
    And a read_uncommitted consumer of u12-fence-0 reads z1@0 y1@2 and stands at 4
    And a read_committed consumer of u12-fence-0 reads y1@2 and stands at 4
    And DescribeTransactions of "u12-fence" shows CompleteCommit, P0, epoch 2
    And the log of u12-fence-0 is:
      | offsets | producer | epoch | batch  | coordinator epoch |
      | 0       | P0       | 0     | z1     |                   |
      | 1       | P0       | 1     | ABORT  | C0                |
      | 2       | P0       | 2     | y1     |                   |
      | 3       | P0       | 2     | COMMIT | C0                |
