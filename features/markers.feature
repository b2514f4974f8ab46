Feature: Markers by hand
  WriteTxnMarkers as an administrator sends it, past the coordinator: the leader judges by producer epoch and
  coordinator epoch alone.

  Background:
    Given topic "t" with 1 partition

  
  @tv0 @tv1 @tv2
  @ADM-06
  Scenario: An administrator's abort ends what is open, and the coordinator does not notice
    Given producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    And A produces "a" to t-0
    And A sends WriteTxnMarkers(abort, t-0)
    Then the answer is NONE
    And the latest offset of t-0 is 2 read_uncommitted and 2 read_committed
    And DescribeTransactions of "id" shows Ongoing, P0, epoch 0, partitions t-0
    When A produces "b" to t-0
    Then the answer is NONE at offset 2
    When A ends the transaction with commit
    Then the answer is NONE
    And a read_committed consumer of t-0 reads b@2 and stands at 4
    And the aborted list of t-0 from 0 is P0 from 0

  
  @tv0 @tv1 @tv2
  @IDEM-24 @ADM-06
  Scenario: A marker of a lower epoch is refused, one of the same or a higher epoch is written
    Given producer A without transactional id
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0 with sequence 0 at epoch 3
    And A sends WriteTxnMarkers(commit, t-0, epoch 2)
    Then the answer is INVALID_PRODUCER_EPOCH
    When A sends WriteTxnMarkers(commit, t-0, epoch 3)
    Then the answer is NONE
    When A sends WriteTxnMarkers(abort, t-0, epoch 5)
    Then the answer is NONE
    When A produces "b" to t-0 with sequence 1 at epoch 3
    Then the answer is INVALID_PRODUCER_EPOCH
    And the aborted list of t-0 from 0 is empty
    And the log of t-0 is:
      | offsets | epoch | sequence | batch   |
      | 0       | 3     | 0        | plain a |
      | 1       | 3     | -1       | COMMIT  |
      | 2       | 5     | -1       | ABORT   |

  
  @tv1 @tv2
  @MARK-07 @MARK-08
  Scenario: With transaction version 2 a marker at the open transaction's own epoch is refused
    Given producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0
    And A sends WriteTxnMarkers(commit, t-0, transaction version 2)
    Then the answer is INVALID_PRODUCER_EPOCH
    When A ends the transaction with commit
    Then the answer is NONE with P0 at epoch 1
    When the transaction of "id" completes
    And A sends WriteTxnMarkers(commit, t-0, epoch 1, transaction version 2, coordinator epoch 1000)
    Then the answer is NONE
    When A sends WriteTxnMarkers(commit, t-0, epoch 0, transaction version 2, coordinator epoch 1000)
    Then the answer is INVALID_PRODUCER_EPOCH
    And the log of t-0 is:
      | offsets | epoch | batch  |
      | 0       | 0     | a      |
      | 1       | 1     | COMMIT |
      | 2       | 1     | COMMIT |

  
  @tv1 @tv2
  @MARK-07
  Scenario: A late copy of the coordinator's marker spares the next transaction of the new protocol
    Given producer A (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0
    And A ends the transaction with commit
    Then the answer is NONE with P0 at epoch 1
    When A's WriteTxnMarkers(commit, t-0, epoch 1, transaction version 2, coordinator epoch 1000) is held as "late"
    And A produces "b" to t-0
    Then the answer is NONE at offset 2
    When "late" arrives
    Then the answer is INVALID_PRODUCER_EPOCH
    When A ends the transaction with abort
    Then the answer is NONE with P0 at epoch 2
    And a read_committed consumer of t-0 reads a@0 and stands at 4

  
  @tv0 @tv1 @tv2
  @MARK-11 @MARK-12 @ADM-01 @ADM-06
  Scenario: A marker with an older coordinator epoch is fenced
    Given producer A without transactional id
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A sends WriteTxnMarkers(abort, t-0, epoch 1, coordinator epoch 7)
    Then the answer is NONE
    When A sends WriteTxnMarkers(abort, t-0, epoch 1, coordinator epoch 6)
    Then the answer is TRANSACTION_COORDINATOR_FENCED
    When A sends WriteTxnMarkers(abort, t-0, epoch 0, coordinator epoch 6)
    Then the answer is INVALID_PRODUCER_EPOCH
    When A sends WriteTxnMarkers(commit, t-0, epoch 1, coordinator epoch 7)
    Then the answer is NONE
    And DescribeProducers of t-0 shows:
      | producer | epoch | last sequence | coordinator epoch | transaction start |
      | P0       | 1     | -1            | 7                 | -1                |
    And the log of t-0 is:
      | offsets | producer | epoch | batch  | coordinator epoch |
      | 0       | P0       | 1     | ABORT  | 7                 |
      | 1       | P0       | 1     | COMMIT | 7                 |

  
  @tv0 @tv1 @tv2
  @MARK-03 @MARK-20 @ADM-06
  Scenario: A marker for no producer is a server error, for no partition unknown
    Given producer A without transactional id
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A sends WriteTxnMarkers(abort, t-0, producer id -1, epoch 0)
    Then the answer is UNKNOWN_SERVER_ERROR
    When A sends WriteTxnMarkers(abort, t-0, epoch -1)
    Then the answer is UNKNOWN_SERVER_ERROR
    When A sends WriteTxnMarkers(abort, t-9)
    Then the answer is UNKNOWN_TOPIC_OR_PARTITION
    And the latest offset of t-0 is 0 read_uncommitted and 0 read_committed

  
  @tv0 @tv1 @tv2
  @ADM-06
  Scenario: A commit marker by hand commits what its coordinator then aborts
    Given producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    And A produces "a" to t-0
    And A sends WriteTxnMarkers(commit, t-0)
    Then the answer is NONE
    When A ends the transaction with abort
    Then the answer is NONE
    And the latest offset of t-0 is 3 read_uncommitted and 3 read_committed
    And a read_committed consumer of t-0 reads a@0 and stands at 3
    And the aborted list of t-0 from 0 is empty
