Feature: What consumers see
  The last stable offset, the list of aborted transactions, and what a consumer makes of them.

  
  @tv0 @tv1 @tv2
  @LSO-02 @LSO-06 @READ-01
  Scenario: The oldest open transaction holds back everything behind it
    Given topic "t" with 1 partition
    And producer A with transactional id "a"
    And producer B with transactional id "b"
    And producer N without transactional id
    When A sends InitProducerId until it is granted
    And B sends InitProducerId until it is granted
    And N sends InitProducerId until it is granted
    And N produces "n0" to t-0
    And A writes "a1" to t-0
    And B writes "b2" to t-0
    And N produces "n3" to t-0
    Then the answer is NONE at offset 3
    And the latest offset of t-0 is 4 read_uncommitted and 1 read_committed
    And a read_committed consumer of t-0 reads n0@0 and stands at 1
    When B ends the transaction with commit
    Then the answer code is NONE
    And the latest offset of t-0 is 5 read_uncommitted and 1 read_committed
    And a read_uncommitted consumer of t-0 reads n0@0 a1@1 b2@2 n3@3 and stands at 5
    And the log of t-0 is:
      | offsets | batch    |
      | 0       | plain n0 |
      | 1       | a1       |
      | 2       | b2       |
      | 3       | plain n3 |
      | 4       | COMMIT   |
    When A ends the transaction with abort
    Then the answer code is NONE
    And the latest offset of t-0 is 6 read_uncommitted and 6 read_committed
    And a read_committed consumer of t-0 reads n0@0 b2@2 n3@3 and stands at 6

  
  @tv0 @tv1 @tv2
  @READ-10
  Scenario: Aborted transactions are listed in the order of their markers
    Given topic "t" with 1 partition
    And producer A with transactional id "a"
    And producer B with transactional id "b"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When B sends InitProducerId until it is granted
    Then B is granted producer id P1 at epoch 0
    When A writes "a0" to t-0
    And B writes "b1" to t-0
    And B ends the transaction with abort
    And the transaction of "b" completes
    And A writes "a3" to t-0
    And A ends the transaction with abort
    And the transaction of "a" completes
    And B writes "b5" to t-0
    And B ends the transaction with commit
    And the transaction of "b" completes
    And B writes "b7" to t-0
    And B ends the transaction with abort
    And the transaction of "b" completes
    Then the aborted list of t-0 from 0 is P1 from 1, P0 from 0, P1 from 7
    And the aborted list of t-0 from 3 is P0 from 0, P1 from 7
    And the aborted list of t-0 from 5 is P1 from 7
    And a read_committed consumer of t-0 reads b5@5 and stands at 9
    And a read_uncommitted consumer of t-0 reads a0@0 b1@1 a3@3 b5@5 b7@7 and stands at 9

  
  @tv0 @tv1 @tv2
  @LSO-02 @READ-01 @READ-14
  Scenario: A fetch behind the last stable offset is empty, one outside the log is out of range
    Given topic "t" with 1 partition
    And producer A with transactional id "a"
    When A sends InitProducerId until it is granted
    And A writes "a0" to t-0
    And A writes "a1" to t-0
    Then the answer is NONE at offset 1
    And a read_committed fetch of t-0 from 0 gives nothing
    And a read_committed fetch of t-0 from 1 gives nothing
    And a read_committed fetch of t-0 from 2 gives nothing
    And a read_committed fetch of t-0 from 3 gives OFFSET_OUT_OF_RANGE
    And a read_uncommitted fetch of t-0 from 3 gives OFFSET_OUT_OF_RANGE

  @tv0 @tv1 @tv2
  @READ-05
  Scenario: Committed transactions leave the list of aborted ones empty
    Given topic "t" with 1 partition
    And producer A with transactional id "a"
    When A sends InitProducerId until it is granted
    And A writes "a0" to t-0
    And A ends the transaction with commit
    Then the answer code is NONE
    And the latest offset of t-0 is 2 read_uncommitted and 2 read_committed
    And the aborted list of t-0 from 0 is empty
    And a read_committed consumer of t-0 reads a0@0 and stands at 2

  @tv0 @tv1 @tv2
  @IDEM-45 @READ-04 @READ-07
  Scenario: What a producer writes outside its aborted transactions is read
    Given topic "t" with 1 partition
    And producer A (v4 style) with transactional id "a"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    And A produces "x" to t-0
    And A ends the transaction with abort
    And the transaction of "a" completes
    And A produces "plain" to t-0 without the transactional flag
    Then the answer is NONE at offset 2
    When A adds partition t-0 to the transaction
    And A produces "y" to t-0
    And A ends the transaction with abort
    Then the answer is NONE
    And the latest offset of t-0 is 5 read_uncommitted and 5 read_committed
    And the aborted list of t-0 from 0 is P0 from 0, P0 from 3
    And a read_committed consumer of t-0 reads plain@2 and stands at 5

  
  @tv0 @tv1 @tv2
  @LSO-02
  Scenario: Each partition of a transaction becomes visible by its own marker
    Given topic "t" with 3 partitions
    And producer A with transactional id "a"
    When A sends InitProducerId until it is granted
    And A writes "x" to t-0
    And A writes "y" to t-1
    Then the answer is NONE at offset 0
    And the latest offset of t-0 is 1 read_uncommitted and 0 read_committed
    And the latest offset of t-1 is 1 read_uncommitted and 0 read_committed
    When A ends the transaction with commit
    Then the answer code is NONE
    And a read_committed consumer of t-0 reads x@0 and stands at 2
    And a read_committed consumer of t-1 reads y@0 and stands at 2
    And the latest offset of t-2 is 0 read_uncommitted and 0 read_committed
