Feature: InitProducerId
  It gives a producer its identity, and takes it from the one before: a new epoch, or an abort of what is open.

  
  @tv0 @tv1 @tv2
  @COORD-03 @SM-04 @SM-09
  Scenario: Each InitProducerId without identity takes a new epoch and a new timeout
    Given topic "t" with 1 partition
    And producer A with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    And DescribeTransactions of "id" shows Empty, P0, epoch 0, timeout 60000
    When A sends InitProducerId(timeout 50000)
    Then A is granted producer id P0 at epoch 1
    When A sends InitProducerId(timeout 30000)
    Then A is granted producer id P0 at epoch 2
    And DescribeTransactions of "id" shows Empty, P0, epoch 2, timeout 30000
    And the transaction log of "id" is:
      | status | producer | producerEpoch | timeout | partitions |
      | Empty  | P0       | 0             | 60000   | null       |
      | Empty  | P0       | 1             | 50000   | null       |
      | Empty  | P0       | 2             | 30000   | null       |

  
  @tv0 @tv1 @tv2
  @INIT-26 @INIT-27 @INIT-28
  Scenario: With the current identity the epoch goes on, and the request may be repeated
    Given topic "t" with 1 partition
    And producer A with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A sends InitProducerId(producer id P0, epoch 0)
    Then A is granted producer id P0 at epoch 1
    When A sends InitProducerId(producer id P0, epoch 0, timeout 40000)
    Then A is granted producer id P0 at epoch 1
    And DescribeTransactions of "id" shows Empty, P0, epoch 1, timeout 40000
    When A sends InitProducerId(producer id P0, epoch 1)
    Then A is granted producer id P0 at epoch 2
    When A sends InitProducerId(producer id P0, epoch 0)
    Then the answer is PRODUCER_FENCED

  
  @tv0 @tv1 @tv2
  @INIT-04 @INIT-22 @INIT-28
  Scenario: An identity that is not the stored one is fenced
    Given topic "t" with 1 partition
    And producer A with transactional id "id"
    And producer B without transactional id
    When B sends InitProducerId until it is granted
    Then B is granted producer id P0 at epoch 0
    When A sends InitProducerId until it is granted
    Then A is granted producer id P1 at epoch 0
    When A sends InitProducerId until it is granted
    Then A is granted producer id P1 at epoch 1
    When A sends InitProducerId(producer id P0, epoch 1)
    Then the answer is PRODUCER_FENCED
    When A sends InitProducerId(producer id P1, epoch 0)
    Then the answer is PRODUCER_FENCED
    When A sends InitProducerId(producer id P1, epoch 2)
    Then the answer is PRODUCER_FENCED
    When A sends InitProducerId(producer id P1, epoch 0, version 3)
    Then the answer is INVALID_PRODUCER_EPOCH
    And DescribeTransactions of "id" shows Empty, P1, epoch 1

  
  @tv0 @tv1 @tv2
  @INIT-26
  Scenario: The first InitProducerId of an id takes any identity and gives its own
    Given topic "t" with 1 partition
    And producer A with transactional id "id"
    And producer B without transactional id
    When B sends InitProducerId until it is granted
    Then B is granted producer id P0 at epoch 0
    When A sends InitProducerId(producer id P0, epoch 7) until it is granted
    Then A is granted producer id P1 at epoch 0

  
  @tv0 @tv1 @tv2
  @INIT-03 @INIT-06 @INIT-08
  Scenario: What an InitProducerId may ask for
    Given topic "t" with 1 partition
    And producer A with transactional id "id"
    When A sends InitProducerId(timeout 0)
    Then the answer is INVALID_TRANSACTION_TIMEOUT
    When A sends InitProducerId(timeout -5)
    Then the answer is INVALID_TRANSACTION_TIMEOUT
    When A sends InitProducerId(timeout 900001)
    Then the answer is INVALID_TRANSACTION_TIMEOUT
    When A sends InitProducerId(producer id 5, epoch -1)
    Then the answer is INVALID_REQUEST
    When A sends InitProducerId(producer id -1, epoch 5)
    Then the answer is INVALID_REQUEST
    When A sends InitProducerId(an empty transactional id)
    Then the answer is INVALID_REQUEST
    And DescribeTransactions of "id" shows TRANSACTIONAL_ID_NOT_FOUND
    When A sends InitProducerId(timeout 900000) until it is granted
    Then A is granted producer id P0 at epoch 0

  
  @tv0 @tv1 @tv2
  @INIT-21 @MARK-34 @ADM-06
  Scenario: While a decision waits for its markers every InitProducerId has to wait
    Given topic "t" with 1 partition
    And producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    And A produces "a" to t-0
    Then the answer is NONE at offset 0
    When A sends WriteTxnMarkers(abort, t-0, epoch 100)
    Then the answer is NONE
    When A ends the transaction with commit
    Then the answer is NONE
    When A sends InitProducerId once
    Then the answer is CONCURRENT_TRANSACTIONS
    When A sends InitProducerId(producer id P0, epoch 0) once
    Then the answer is CONCURRENT_TRANSACTIONS
    When A sends InitProducerId(producer id 1234567890, epoch 0) once
    Then the answer is CONCURRENT_TRANSACTIONS
    And DescribeTransactions of "id" shows PrepareCommit, P0, epoch 0

  
  @tv2
  @INIT-26 @INIT-27
  Scenario: After EndTxn v5 the ended identity asks for the one it was given
    Given topic "t" with 1 partition
    And producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0
    And A ends the transaction with commit
    Then the answer is NONE with P0 at epoch 1
    When A sends InitProducerId(producer id P0, epoch 0)
    Then A is granted producer id P0 at epoch 1
    And DescribeTransactions of "id" shows Empty, P0, epoch 1
    When A sends InitProducerId(producer id P0, epoch 1)
    Then A is granted producer id P0 at epoch 2
