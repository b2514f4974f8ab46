Feature: Retries and delayed requests
  A request comes twice, or late. EndTxn v5 and Produce v12 carry an epoch that tells; before them nothing did, and what
  comes late counts for the next transaction: flaws of the old protocol, on every release.

  Background:
    Given topic "t" with 1 partition

  @tv0 @tv1 @tv2 @flaw
  @END-14
  Scenario: KAFKA-17754, a delayed EndTxn v4 commits the next transaction
    Given producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    And A produces "a" to t-0
    And A's EndTxn(commit) is held as "late"
    And A ends the transaction with commit
    Then the answer is NONE
    When A adds partition t-0 to the transaction
    And A produces "b" to t-0
    Then the answer is NONE at offset 2
    When "late" arrives
    Then the answer is NONE
    When the transaction of "id" completes
    Then a read_committed consumer of t-0 reads a@0 b@2 and stands at 4
    When A ends the transaction with abort
    Then the answer is INVALID_TXN_STATE
    And the log of t-0 is:
      | offsets | epoch | batch  |
      | 0       | 0     | a      |
      | 1       | 0     | COMMIT |
      | 2       | 0     | b      |
      | 3       | 0     | COMMIT |

  @tv1 @tv2
  @END-30
  Scenario: A delayed EndTxn v5 is fenced and the next transaction stays its owner's
    Given producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0
    And A's EndTxn(commit) is held as "late"
    And A ends the transaction with commit
    Then the answer is NONE with P0 at epoch 1
    When A produces "b" to t-0
    Then the answer is NONE at offset 2
    When "late" arrives
    Then the answer is PRODUCER_FENCED
    When A ends the transaction with abort
    Then the answer is NONE with P0 at epoch 2
    And a read_committed consumer of t-0 reads a@0 and stands at 4

  
  @tv0 @tv1 @tv2
  @END-11
  Scenario: A client whose EndTxn v4 was not answered asks again on another connection
    Given producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    And A produces "a" to t-0
    And A sends EndTxn(commit) and the answer is lost
    And the transaction of "id" completes
    And the request is sent again on another connection
    Then the answer is NONE
    And the log of t-0 is:
      | offsets | batch  |
      | 0       | a      |
      | 1       | COMMIT |

  
  @tv0 @tv1 @tv2 @flaw
  @MARK-12
  Scenario: A delayed batch of an aborted transaction lands in the next one, with Produce v11
    Given producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    And A's Produce("ghost" to t-0) is held as "late"
    And A ends the transaction with abort
    Then the answer is NONE
    When A adds partition t-0 to the transaction
    Then the answer is NONE
    When "late" arrives
    Then the answer is NONE at offset 1
    When A ends the transaction with commit
    Then the answer is NONE
    And a read_committed consumer of t-0 reads ghost@1 and stands at 3

  
  @tv1 @tv2
  @IDEM-24
  Scenario: A delayed batch of an aborted transaction is refused with Produce v12
    Given producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0
    And A's Produce("ghost" to t-0) is held as "late"
    And A ends the transaction with abort
    Then the answer is NONE with P0 at epoch 1
    When the transaction of "id" completes
    And "late" arrives
    Then the answer is INVALID_PRODUCER_EPOCH
    When A produces "b" to t-0
    Then the answer is NONE at offset 2
    When A ends the transaction with commit
    Then the answer is NONE with P0 at epoch 2
    And a read_committed consumer of t-0 reads b@2 and stands at 4

  
  @tv0 @tv1 @tv2 @flaw
  @IDEM-15 @IDEM-17 @IDEM-35 @MARK-16
  Scenario: A late duplicate in the next transaction spoils the next batch, with Produce v11
    Given producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    And A produces "a" to t-0
    And A's Produce("a" to t-0 with sequence 0) is held as "late"
    And A ends the transaction with commit
    Then the answer is NONE
    When A adds partition t-0 to the transaction
    And "late" arrives
    Then the answer is NONE at offset 0
    When A produces "b" to t-0
    Then the answer is OUT_OF_ORDER_SEQUENCE_NUMBER, or NONE at offset 2 by IDEM-35 and that is all
    When A produces "b" to t-0
    Then the answer is OUT_OF_ORDER_SEQUENCE_NUMBER
    When A ends the transaction with abort
    And A adds partition t-0 to the transaction
    And A produces "b" to t-0
    Then the answer is NONE at offset 3

  
  @tv1 @tv2 @flaw
  @IDEM-35 @ADD-04 @ADD-06 @ADD-23 @VER-02
  Scenario: A batch at an epoch that nobody was given spoils the owner's next batch
    Given producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0
    Then the answer is NONE at offset 0
    When A produces "x" to t-0 with sequence 0 at epoch 5
    Then the answer is INVALID_PRODUCER_EPOCH
    When A produces "b" to t-0 with sequence 1
    Then the answer is OUT_OF_ORDER_SEQUENCE_NUMBER, or NONE at offset 1 by IDEM-35
    When A ends the transaction with abort
    Then the answer is NONE with P0 at epoch 1

  
  @tv0 @tv1 @tv2 @flaw
  @INIT-31 @INIT-32 @INIT-33 @INIT-40 @MARK-12
  Scenario: A late AddPartitionsToTxn opens a transaction that its producer knows nothing of
    Given producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A's AddPartitionsToTxn(t-0) is held as "late"
    And A adds partition t-0 to the transaction
    And A ends the transaction with abort
    Then the answer is NONE
    When the transaction of "id" completes
    And "late" arrives
    Then the answer is NONE
    And DescribeTransactions of "id" shows Ongoing, P0, epoch 0, partitions t-0
    When A sends InitProducerId(producer id P0, epoch 0) once
    Then the answer is CONCURRENT_TRANSACTIONS

  
  @tv0 @tv1 @tv2 @flaw
  @ADM-01 @ADM-06
  Scenario: A late marker at the same epoch ends the next transaction
    Given producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    And A produces "a" to t-0
    And A ends the transaction with commit
    Then the answer is NONE
    And DescribeProducers of t-0 shows:
      | producer | epoch | last sequence | coordinator epoch | transaction start |
      | P0       | 0     | 0             | C0                | -1                |
    When A's WriteTxnMarkers(commit, t-0, coordinator epoch C0) is held as "late"
    And A adds partition t-0 to the transaction
    And A produces "b" to t-0
    Then the answer is NONE at offset 2
    When "late" arrives
    Then the answer is NONE
    And a read_committed consumer of t-0 reads a@0 b@2 and stands at 4
    And DescribeTransactions of "id" shows Ongoing, P0, epoch 0, partitions t-0
    When A ends the transaction with abort
    Then the answer is NONE
    And the log of t-0 is:
      | offsets | epoch | batch  |
      | 0       | 0     | a      |
      | 1       | 0     | COMMIT |
      | 2       | 0     | b      |
      | 3       | 0     | COMMIT |
      | 4       | 0     | ABORT  |

  
  @tv0 @tv1 @tv2
  @IDEM-15 @IDEM-17
  Scenario: A duplicate inside a transaction is answered and not stored
    Given producer A with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A writes "a" "b" to t-0
    Then the answer is NONE at offset 0
    When A writes "c" to t-0
    Then the answer is NONE at offset 2
    When A produces "a" "b" to t-0 with sequence 0
    Then the answer is NONE at offset 0
    When A produces "x" to t-0 with sequence 4
    Then the answer is OUT_OF_ORDER_SEQUENCE_NUMBER
    When A ends the transaction with commit
    Then the answer code is NONE
    And a read_committed consumer of t-0 reads a@0 b@1 c@2 and stands at 4
