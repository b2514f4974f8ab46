Feature: KAFKA-15591: a first sequence other than 0 is taken on a partition that was never written: an earlier batch is lost
  InOrder: The batches of a producer id and epoch lie in a partition in the order in which they were sent, without a gap. Otherwise a record is lost between two acknowledged ones, or an update is overtaken by an older one.
  Every fix is on but this one: a broker without it does line by line what stands here.
  Generated from the checker's counterexample: make docs

  @trace @tv0 @tv1 @tv2
  Scenario: Counterexample of KAFKA-15591
    InOrder falls after 11 steps of the checker's.
    onceproof check fix-15591 --fix-off KAFKA-15591 --property InOrder --bound quick=1 --trace gherkin

    Given topic "t" with 1 partition
    And producer A (v4 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A adds partition t-0 to the transaction
    Then the answer is NONE
    When A produces "b" to t-0 with sequence 1
    Then the answer is NONE at offset 0
    And DescribeTransactions of "id" shows Ongoing, P0, epoch 0, partitions t-0
    And the log of t-0 is:
      | offsets | epoch | sequence | batch |
      | 0       | 0     | 1        | b     |
    And the latest offset of t-0 is 1 read_uncommitted and 0 read_committed
    And a read_committed consumer of t-0 reads nothing and stands at 0
