Feature: Fencing
  A newer producer of a transactional id ends what the older one has open, and nothing of the older one counts any more.

  
  @tv0 @tv1 @tv2
  @IDEM-24 @INIT-28 @INIT-31 @INIT-32 @INIT-33 @INIT-40 @ADD-04 @ADD-06 @ADD-23 @END-03 @END-10 @END-13
  Scenario: Every request of a fenced producer is refused
    Given topic "t" with 2 partitions
    And producer A (v4 style) with transactional id "id"
    And producer B (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    And A produces "a" to t-0
    Then the answer is NONE at offset 0
    When B sends InitProducerId until it is granted
    Then B is granted producer id P0 at epoch 2
    When A sends AddPartitionsToTxn(t-0)
    Then the answer is PRODUCER_FENCED
    When A sends AddPartitionsToTxn(t-0, version 1)
    Then the answer is INVALID_PRODUCER_EPOCH
    When A sends AddPartitionsToTxn(t-0, verify only)
    Then the answer is PRODUCER_FENCED
    When A produces "b" to t-0
    Then the answer is INVALID_PRODUCER_EPOCH
    When A produces "x" to t-1
    Then the answer is INVALID_PRODUCER_EPOCH
    When A ends the transaction with commit
    Then the answer is PRODUCER_FENCED
    When A ends the transaction with abort
    Then the answer is PRODUCER_FENCED
    When A ends the transaction with commit with version 1
    Then the answer is INVALID_PRODUCER_EPOCH
    When A sends InitProducerId(producer id P0, epoch 0)
    Then the answer is PRODUCER_FENCED
    And the log of t-0 is:
      | offsets | epoch | batch |
      | 0       | 0     | a     |
      | 1       | 1     | ABORT |
    And the latest offset of t-1 is 0 read_uncommitted and 0 read_committed

  
  @tv0 @tv1 @tv2
  @ADD-04 @ADD-24 @END-13
  Scenario: A producer id that is not the stored one is not the id's
    Given topic "t" with 1 partition
    And producer A with transactional id "id"
    And producer B with transactional id "other"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When B sends InitProducerId until it is granted
    Then B is granted producer id P1 at epoch 0
    When A sends AddPartitionsToTxn(t-0, producer id P1)
    Then the answer is INVALID_PRODUCER_ID_MAPPING
    When A sends AddPartitionsToTxn(t-0, producer id P1, verify only)
    Then the answer is INVALID_PRODUCER_ID_MAPPING
    When A sends Produce("x" to t-0 with producer id P1 with version 11)
    Then the answer is INVALID_PRODUCER_ID_MAPPING
    When A sends EndTxn(commit, producer id P1, version 4)
    Then the answer is INVALID_PRODUCER_ID_MAPPING
    When A sends EndTxn(commit, producer id P1, version 5)
    Then the answer is INVALID_PRODUCER_ID_MAPPING
    And the latest offset of t-0 is 0 read_uncommitted and 0 read_committed

  
  @tv0 @tv1 @tv2
  @ADD-04 @ADD-24 @END-01
  Scenario: An id that nobody initialised has no producer
    Given topic "t" with 1 partition
    And producer A with transactional id "id"
    When A sends AddPartitionsToTxn(t-0, producer id 5, epoch 0)
    Then the answer is INVALID_PRODUCER_ID_MAPPING
    When A sends AddPartitionsToTxn(t-0, producer id 5, epoch 0, verify only)
    Then the answer is INVALID_PRODUCER_ID_MAPPING
    When A sends EndTxn(commit, producer id 5, epoch 0)
    Then the answer is INVALID_PRODUCER_ID_MAPPING
    When A sends Produce("x" to t-0 with producer id 5 at epoch 0 with sequence 0 with version 11)
    Then the answer is INVALID_PRODUCER_ID_MAPPING
    And DescribeTransactions of "id" shows TRANSACTIONAL_ID_NOT_FOUND
    And DescribeTransactions of "" shows INVALID_REQUEST

  
  @tv0 @tv1 @tv2
  @INIT-31 @INIT-32 @INIT-33 @INIT-40 @END-10 @END-13
  Scenario: A fenced producer's InitProducerId with its old identity aborts the owner's transaction
    Given topic "t" with 1 partition
    And producer A (v4 style) with transactional id "id"
    And producer B (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When B sends InitProducerId until it is granted
    Then B is granted producer id P0 at epoch 1
    When B adds partition t-0 to the transaction
    And B produces "b" to t-0
    Then the answer is NONE at offset 0
    When A sends InitProducerId(producer id P0, epoch 0) once
    Then the answer is CONCURRENT_TRANSACTIONS, or PRODUCER_FENCED by INIT-31 and that is all
    When the transaction of "id" completes
    And B ends the transaction with commit
    Then the answer is PRODUCER_FENCED

  
  @tv2
  @INIT-31 @INIT-33 @INIT-40 @END-24
  Scenario: Between a successor's two requests the old producer still ends, and goes on
    Given topic "t" with 1 partition
    And producer A (v5 style) with transactional id "id"
    And producer B (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0
    Then the answer is NONE at offset 0
    When B sends InitProducerId once
    Then the answer is CONCURRENT_TRANSACTIONS
    When the transaction of "id" completes
    And A ends the transaction with abort
    Then the answer is NONE with P0 at epoch 1, or PRODUCER_FENCED by INIT-41 and that is all
    When A produces "b" to t-0
    Then the answer is NONE at offset 2
    When B sends InitProducerId once
    Then the answer is CONCURRENT_TRANSACTIONS
    When the transaction of "id" completes
    And B sends InitProducerId until it is granted
    Then B is granted producer id P0 at epoch 3
    When A ends the transaction with abort
    Then the answer is PRODUCER_FENCED
    And a read_committed consumer of t-0 reads nothing and stands at 4

  
  @tv2
  @INIT-27 @INIT-31 @INIT-33 @INIT-34 @INIT-40
  Scenario: A producer that initialises its own open transaction with its identity goes on after the abort
    Given topic "t" with 1 partition
    And producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0
    Then the answer is NONE at offset 0
    When A sends InitProducerId(producer id P0, epoch 0) once
    Then the answer is CONCURRENT_TRANSACTIONS
    When A sends InitProducerId(producer id P0, epoch 0)
    Then A is granted producer id P0 at epoch 1
    When A produces "b" to t-0
    And A ends the transaction with commit
    Then the answer is NONE with P0 at epoch 2
    And a read_committed consumer of t-0 reads b@2 and stands at 4

  
  @tv0 @tv1
  @INIT-28 @INIT-31 @INIT-32
  Scenario: Below transaction.version 2 a producer fences itself by initialising its own open transaction
    Given topic "t" with 1 partition
    And producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    And A produces "a" to t-0
    Then the answer is NONE at offset 0
    When A sends InitProducerId(producer id P0, epoch 0) once
    Then the answer is CONCURRENT_TRANSACTIONS
    When A sends InitProducerId(producer id P0, epoch 0)
    Then the answer is PRODUCER_FENCED
    When A sends InitProducerId
    Then A is granted producer id P0 at epoch 2

  
  @tv0 @tv1 @tv2
  @INIT-31 @INIT-32 @INIT-33 @INIT-40 @MARK-12 @ADM-01 @ADM-04
  Scenario: A fence ends every partition of the transaction with one epoch more
    Given topic "t" with 2 partitions
    And producer A (v4 style) with transactional id "id"
    And producer B (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partitions t-0 t-1 to the transaction
    And A produces "a" to t-0
    Then the answer is NONE at offset 0
    When B sends InitProducerId once
    Then the answer is CONCURRENT_TRANSACTIONS
    When the transaction of "id" completes
    Then DescribeTransactions of "id" shows CompleteAbort, P0, epoch 1, no partitions
    And ListTransactions shows "id" as CompleteAbort
    And the log of t-0 is:
      | offsets | epoch | batch |
      | 0       | 0     | a     |
      | 1       | 1     | ABORT |
    And the log of t-1 is:
      | offsets | epoch | batch |
      | 0       | 1     | ABORT |
    And DescribeProducers of t-0 shows:
      | producer | epoch | last sequence | transaction start |
      | P0       | 1     | -1            | -1                |
