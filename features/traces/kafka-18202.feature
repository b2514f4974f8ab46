Feature: KAFKA-18202: Produce v12: a first sequence other than 0 is taken from a producer without state
  InOrder: The batches of a producer id and epoch lie in a partition in the order in which they were sent, without a gap. Otherwise a record is lost between two acknowledged ones, or an update is overtaken by an older one.
  Every fix is on but this one: a broker without it does line by line what stands here.
  Generated from the checker's counterexample: make docs

  @trace @tv1 @tv2
  Scenario: Counterexample of KAFKA-18202
    InOrder falls after 9 steps of the checker's.
    onceproof check fix-18202 --fix-off KAFKA-18202 --property InOrder --bound quick=1 --trace gherkin

    Given topic "t" with 1 partition
    And producer A (v5 style) with transactional id "id"
    And producer Z without transactional id
    When Z produces "z" to t-0 with sequence -1, producer id -1, epoch -1
    Then the answer is NONE at offset 0
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "b" to t-0 with sequence 1
    Then the answer is NONE at offset 1
    And DescribeTransactions of "id" shows Ongoing, P0, epoch 0, partitions t-0
    And the log of t-0 is:
      | offsets | epoch | sequence | batch   |
      | 0       | -1    | -1       | plain z |
      | 1       | 0     | 1        | b       |
    And the latest offset of t-0 is 2 read_uncommitted and 1 read_committed
    And a read_committed consumer of t-0 reads z@0 and stands at 1
