Feature: Idempotent produce
  A partition's leader keeps, for each producer id, its epoch and its last five batches. By them it knows a batch that
  comes again, one that came too early, and one of a producer that is gone.

  Background:
    Given topic "t" with 1 partition
    And producer A without transactional id
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0

  
  @tv0 @tv1 @tv2
  @IDEM-15 @IDEM-17 @IDEM-18 @IDEM-23 @INIT-05
  Scenario: Only a batch with the same first and last sequence is a duplicate
    When A produces "a" "b" "c" to t-0
    Then the answer is NONE at offset 0
    And the answer carries no time
    When A produces "a" "b" to t-0 with sequence 0
    Then the answer is OUT_OF_ORDER_SEQUENCE_NUMBER
    When A produces "b" "c" to t-0 with sequence 1
    Then the answer is OUT_OF_ORDER_SEQUENCE_NUMBER
    When A produces "c" "d" to t-0 with sequence 2
    Then the answer is OUT_OF_ORDER_SEQUENCE_NUMBER
    When A produces "x" "y" "z" to t-0 with sequence 0
    Then the answer is NONE at offset 0
    And the answer carries the time of the batch
    And a read_uncommitted consumer of t-0 reads a@0 b@1 c@2 and stands at 3

  
  @tv0 @tv1 @tv2
  @IDEM-15 @IDEM-16 @IDEM-17 @IDEM-21 @INIT-05
  Scenario: Each of the last five batches is known, the one before them is not
    When A produces "a" to t-0
    And A produces "b" to t-0
    And A produces "c" to t-0
    And A produces "d" to t-0
    And A produces "e" to t-0
    And A produces "a" to t-0 with sequence 0
    Then the answer is NONE at offset 0
    When A produces "f" to t-0
    Then the answer is NONE at offset 5
    When A produces "b" to t-0 with sequence 1
    Then the answer is NONE at offset 1
    When A produces "a" to t-0 with sequence 0
    Then the answer is OUT_OF_ORDER_SEQUENCE_NUMBER

  
  @tv0 @tv1 @tv2
  @IDEM-23 @ADM-01
  Scenario: A gap is refused until it is filled, and leaves no trace
    When A produces "a" to t-0 with sequence 0
    Then the answer is NONE at offset 0
    When A produces "c" to t-0 with sequence 2
    Then the answer is OUT_OF_ORDER_SEQUENCE_NUMBER
    When A produces "b" to t-0 with sequence 1
    Then the answer is NONE at offset 1
    When A produces "c" to t-0 with sequence 2
    Then the answer is NONE at offset 2
    And DescribeProducers of t-0 shows:
      | producer | epoch | last sequence | coordinator epoch | transaction start |
      | P0       | 0     | 2             | -1                | -1                |

  
  @tv0 @tv1 @tv2
  @IDEM-24 @IDEM-25
  Scenario: A higher epoch takes over from sequence 0, a lower one is refused
    When A produces "a" "b" to t-0
    Then the answer is NONE at offset 0
    When A produces "x" to t-0 with sequence 2 at epoch 1
    Then the answer is OUT_OF_ORDER_SEQUENCE_NUMBER
    When A produces "c" to t-0 with sequence 0 at epoch 1
    Then the answer is NONE at offset 2
    When A produces "a" "b" to t-0 with sequence 0 at epoch 0
    Then the answer is INVALID_PRODUCER_EPOCH
    When A produces "d" to t-0 with sequence 1 at epoch 1
    Then the answer is NONE at offset 3
    And the log of t-0 is:
      | offsets | producer | epoch | sequence | batch     |
      | 0-1     | P0       | 0     | 0        | plain a b |
      | 2       | P0       | 1     | 0        | plain c   |
      | 3       | P0       | 1     | 1        | plain d   |

  
  @tv0 @tv1 @tv2
  @IDEM-15 @IDEM-17 @IDEM-24 @IDEM-25
  Scenario: A new epoch forgets the batches of the old one
    When A produces "a" to t-0
    And A produces "b" to t-0 with sequence 0 at epoch 1
    Then the answer is NONE at offset 1
    When A produces "b" to t-0 with sequence 0 at epoch 1
    Then the answer is NONE at offset 1
    When A produces "c" to t-0 with sequence 0 at epoch 2
    Then the answer is NONE at offset 2
    When A produces "b" to t-0 with sequence 0 at epoch 1
    Then the answer is INVALID_PRODUCER_EPOCH

  
  @tv0 @tv1 @tv2
  @IDEM-15 @IDEM-17 @IDEM-27 @IDEM-32
  Scenario: After sequence 2147483647 comes 0
    When A produces "a" to t-0 with sequence 2147483645
    Then the answer is NONE at offset 0, or OUT_OF_ORDER_SEQUENCE_NUMBER by KAFKA-15591 and that is all
    When A produces "b" "c" "d" to t-0 with sequence 2147483646
    Then the answer is NONE at offset 1
    When A produces "f" to t-0 with sequence 2
    Then the answer is OUT_OF_ORDER_SEQUENCE_NUMBER
    When A produces "e" to t-0 with sequence 1
    Then the answer is NONE at offset 4
    When A produces "b" "c" "d" to t-0 with sequence 2147483646
    Then the answer is NONE at offset 1
    And a read_uncommitted consumer of t-0 reads a@0 b@1 c@2 d@3 e@4 and stands at 5

  
  @tv0 @tv1 @tv2
  @IDEM-14
  Scenario: A batch without producer id is never a duplicate
    When A produces "a" to t-0 with producer id -1 at epoch -1 with sequence -1
    Then the answer is NONE at offset 0
    When the request is sent again on another connection
    Then the answer is NONE at offset 1
    When A produces "b" to t-0 with producer id -1 at epoch 5 with sequence 7
    Then the answer is NONE at offset 2
    And a read_uncommitted consumer of t-0 reads a@0 a@1 b@2 and stands at 3

  
  @tv0 @tv1 @tv2
  @IDEM-32
  Scenario: A producer without state may begin anywhere
    When A produces "a" to t-0 with sequence 7
    Then the answer is NONE at offset 0, or OUT_OF_ORDER_SEQUENCE_NUMBER by KAFKA-15591 and that is all
    When A produces "c" to t-0 with sequence 9
    Then the answer is OUT_OF_ORDER_SEQUENCE_NUMBER
    When A produces "b" to t-0 with sequence 8
    Then the answer is NONE at offset 1

  
  @tv0 @tv1 @tv2
  @IDEM-07
  Scenario: Acks of all, 1 and 0 are checked alike, other acks are refused
    When A produces "a" to t-0 with acks 1
    Then the answer is NONE at offset 0
    When A produces "x" to t-0 with sequence 5 with acks 1
    Then the answer is OUT_OF_ORDER_SEQUENCE_NUMBER
    When A produces "x" to t-0 with sequence 1 with acks 2
    Then the answer is INVALID_REQUIRED_ACKS
    When A produces "b" to t-0 with sequence 1 with acks -1
    Then the answer is NONE at offset 1

  
  @tv0 @tv1 @tv2
  @IDEM-08
  Scenario: With acks 0 a batch is stored in silence, and an error closes the connection
    When A sends Produce("a" to t-0 with acks 0)
    Then a read_uncommitted consumer of t-0 reads a@0 and stands at 1
    When A produces "a" to t-0 with sequence 0
    Then the answer is NONE at offset 0
    When A sends Produce("x" to t-0 with sequence 9 with acks 0) and the connection is closed
    And A produces "b" to t-0 with sequence 1
    Then the answer is NONE at offset 1

  
  @tv0 @tv1 @tv2
  @IDEM-03
  Scenario: A partition that does not exist is unknown, and nothing is remembered of it
    When A sends Produce("a" to t-5) once
    Then the answer is UNKNOWN_TOPIC_OR_PARTITION
    When A sends Produce("a" to nowhere-0) once
    Then the answer is UNKNOWN_TOPIC_OR_PARTITION
    When A produces "a" to t-0
    Then the answer is NONE at offset 0

  
  @tv0 @tv1 @tv2
  @IDEM-11
  Scenario: A producer id with a negative sequence is an invalid record
    When A produces "a" to t-0
    Then the answer is NONE at offset 0
    When A produces "x" to t-0 with sequence -1
    Then the answer is INVALID_RECORD
    When A produces "b" to t-0 with sequence 1
    Then the answer is NONE at offset 1

  
  @tv0 @tv1 @tv2
  @IDEM-24 @IDEM-30 @IDEM-49
  Scenario: A producer id that no broker gave out is taken like any other
    When A produces "a" to t-0 with producer id 9000000000000 at epoch -1 with sequence 0
    Then the answer is NONE at offset 0
    When A produces "b" to t-0 with producer id 9000000000000 at epoch 4 with sequence 0
    Then the answer is NONE at offset 1
    When A produces "c" to t-0 with producer id 9000000000000 at epoch -1 with sequence 0
    Then the answer is INVALID_PRODUCER_EPOCH

  
  @tv0 @tv1 @tv2
  @IDEM-01
  Scenario: The transactional flag without a transactional id is not authorized
    When A produces "x" to t-0 with the transactional flag
    Then the answer is TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    When A sends Produce("x" to t-7 with the transactional flag) once
    Then the answer is TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    When A produces "a" to t-0
    Then the answer is NONE at offset 0

  
  @tv0 @tv1 @tv2
  @INIT-03 @INIT-05 @ADM-01
  Scenario: Each InitProducerId without transactional id gives a new producer id
    Given producer B without transactional id
    When B sends InitProducerId until it is granted
    Then B is granted producer id P1 at epoch 0
    When B sends InitProducerId(producer id P1, epoch 0) until it is granted
    Then B is granted producer id P2 at epoch 0
    When B sends InitProducerId(producer id P2, epoch -1)
    Then the answer is INVALID_REQUEST
    When B sends InitProducerId(producer id -1, epoch 3)
    Then the answer is INVALID_REQUEST
    When A produces "a" to t-0
    And B produces "b" to t-0 with producer id P1 at epoch 0 with sequence 0
    Then the answer is NONE at offset 1
    And DescribeProducers of t-0 shows:
      | producer | epoch | last sequence |
      | P0       | 0     | 0             |
      | P1       | 0     | 0             |
