Feature: EndTxn
  What commit and abort do in each state of the transaction, by the epoch of the request. The request's version alone
  chooses the rules.

  Background:
    Given topic "t" with 1 partition

  
  @tv0 @tv1 @tv2
  @END-01 @END-10 @END-13
  Scenario: EndTxn v4 of nothing is an invalid state, at another epoch fenced
    Given producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    And A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 1
    When A ends the transaction with commit
    Then the answer is INVALID_TXN_STATE
    When A ends the transaction with abort
    Then the answer is INVALID_TXN_STATE
    When A ends the transaction with abort at epoch 0
    Then the answer is PRODUCER_FENCED
    When A ends the transaction with commit at epoch 2
    Then the answer is PRODUCER_FENCED
    When A sends EndTxn(commit, an empty transactional id)
    Then the answer is INVALID_REQUEST

  
  @tv0 @tv1 @tv2
  @END-10 @END-13 @READ-05
  Scenario: EndTxn v4 ends an open transaction at its own epoch only
    Given producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    And A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 1
    When A adds partition t-0 to the transaction
    And A produces "a" to t-0
    And A ends the transaction with commit at epoch 0
    Then the answer is PRODUCER_FENCED
    When A ends the transaction with commit at epoch 2
    Then the answer is PRODUCER_FENCED
    And DescribeTransactions of "id" shows Ongoing, P0, epoch 1
    When A ends the transaction with commit
    Then the answer is NONE
    And a read_committed consumer of t-0 reads a@0 and stands at 2

  
  @tv0 @tv1 @tv2
  @END-10 @END-11 @END-13
  Scenario: After completion EndTxn v4 repeats the same decision and refuses the other
    Given producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    And A produces "a" to t-0
    And A ends the transaction with commit
    Then the answer is NONE
    When A ends the transaction with commit
    Then the answer is NONE
    When A ends the transaction with abort
    Then the answer is INVALID_TXN_STATE
    When A ends the transaction with commit at epoch 1
    Then the answer is PRODUCER_FENCED
    When A adds partition t-0 to the transaction
    And A produces "b" to t-0
    And A ends the transaction with abort
    Then the answer is NONE
    When A ends the transaction with abort
    Then the answer is NONE
    When A ends the transaction with commit
    Then the answer is INVALID_TXN_STATE
    And the log of t-0 is:
      | offsets | batch  |
      | 0       | a      |
      | 1       | COMMIT |
      | 2       | b      |
      | 3       | ABORT  |

  
  @tv0 @tv1 @tv2
  @END-10 @END-13 @MARK-12 @MARK-34 @ADM-05 @ADM-06
  Scenario: While a decision waits for its markers EndTxn v4 has to wait, other producers are refused
    Given producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    And A sends WriteTxnMarkers(abort, t-0, epoch 50)
    Then the answer is NONE
    When A ends the transaction with abort
    Then the answer is NONE
    When A sends EndTxn(abort) once
    Then the answer is CONCURRENT_TRANSACTIONS
    When A sends EndTxn(commit) once
    Then the answer is CONCURRENT_TRANSACTIONS
    When A sends EndTxn(abort, epoch 1) once
    Then the answer is PRODUCER_FENCED
    When A sends EndTxn(abort, producer id 1234567890) once
    Then the answer is INVALID_PRODUCER_ID_MAPPING
    And DescribeTransactions of "id" shows PrepareAbort, P0, epoch 0, partitions t-0

  @tv1 @tv2
  @END-29 @END-30
  Scenario: EndTxn v5 of nothing: a commit is an invalid state, an abort is taken, any other epoch is fenced
    Given producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    And A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 1
    When A ends the transaction with commit at epoch 0
    Then the answer is PRODUCER_FENCED
    When A ends the transaction with abort at epoch 0
    Then the answer is PRODUCER_FENCED
    When A ends the transaction with abort at epoch 2
    Then the answer is PRODUCER_FENCED
    When A ends the transaction with commit
    Then the answer is INVALID_TXN_STATE, or NONE with P0 at epoch 2 by KAFKA-21181

  @tv1 @tv2
  @END-20 @END-30
  Scenario: EndTxn v5 ends an open transaction at its own epoch only
    Given producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    And A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 1
    When A produces "a" to t-0
    And A ends the transaction with commit at epoch 0
    Then the answer is PRODUCER_FENCED
    When A ends the transaction with abort at epoch 2
    Then the answer is PRODUCER_FENCED
    And DescribeTransactions of "id" shows Ongoing, P0, epoch 1, partitions t-0
    When A ends the transaction with abort
    Then the answer is NONE with P0 at epoch 2

  
  @tv1 @tv2
  @READ-05
  Scenario: After a commit EndTxn v5 knows its repetition by the epoch
    Given producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0
    And A sends EndTxn(commit) and the answer is lost
    And the transaction of "id" completes
    And A ends the transaction with abort
    Then the answer is INVALID_TXN_STATE
    When A ends the transaction with commit at epoch 2
    Then the answer is PRODUCER_FENCED
    When A ends the transaction with commit
    Then the answer is NONE with P0 at epoch 1
    When A ends the transaction with commit
    Then the answer is INVALID_TXN_STATE, or NONE with P0 at epoch 2 by KAFKA-21181
    And a read_committed consumer of t-0 reads a@0 and stands at 2

  
  @tv1 @tv2
  @END-23 @END-24 @MARK-31
  Scenario: After an abort EndTxn v5 knows its repetition by the epoch
    Given producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0
    And A sends EndTxn(abort) and the answer is lost
    And the transaction of "id" completes
    And A ends the transaction with commit
    Then the answer is INVALID_TXN_STATE, or PRODUCER_FENCED by KAFKA-20785
    When A ends the transaction with abort at epoch 2
    Then the answer is PRODUCER_FENCED
    When A ends the transaction with abort
    Then the answer is NONE with P0 at epoch 1
    When A ends the transaction with abort
    Then the answer is NONE with P0 at epoch 2
    And a read_committed consumer of t-0 reads nothing and stands at 2

  
  @tv1 @tv2
  @MARK-07 @MARK-34 @ADM-04 @ADM-05 @ADM-06
  Scenario: While a decision waits for its markers EndTxn v5 has to wait, whoever asks
    Given producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0
    And A sends WriteTxnMarkers(abort, t-0, epoch 50)
    Then the answer is NONE
    When A ends the transaction with commit
    Then the answer is NONE with P0 at epoch 1
    When A sends EndTxn(commit) once
    Then the answer is CONCURRENT_TRANSACTIONS
    When A sends EndTxn(commit, epoch 0) once
    Then the answer is CONCURRENT_TRANSACTIONS
    When A sends EndTxn(abort, epoch 7) once
    Then the answer is CONCURRENT_TRANSACTIONS
    When A sends EndTxn(abort, producer id 1234567890) once
    Then the answer is CONCURRENT_TRANSACTIONS
    And DescribeTransactions of "id" shows PrepareCommit, P0, epoch 1, partitions t-0
    And ListTransactions shows "id" as PrepareCommit

  
  @tv1 @tv2
  @IDEM-40 @END-25
  Scenario: Two transactions later a repeated EndTxn v5 is fenced
    Given producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0
    And A's EndTxn(commit) is held as "first"
    And A ends the transaction with commit
    Then the answer is NONE with P0 at epoch 1
    When A produces "b" to t-0
    And A ends the transaction with commit
    Then the answer is NONE with P0 at epoch 2
    When the transaction of "id" completes
    And "first" arrives
    Then the answer is PRODUCER_FENCED
