Feature: The worked examples
  Three walks through the protocol, to the letter: every answer, every batch in the log, every record of the
  coordinator.

  @tv0 @tv1 @tv2 @IDEM-15 @IDEM-16 @IDEM-17 @IDEM-23 @IDEM-28 @IDEM-30 @INIT-05
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
