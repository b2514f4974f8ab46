Feature: INIT-41: between a successor's two InitProducerId the old producer still ends, and goes on
  FencedStaysFenced: Once a newer incarnation's InitProducerId is durable, no request of an older one opens, joins or commits a transaction or is granted an identity. Otherwise a zombie writes beside its successor.
  Every fix is on but this one: a broker without it does line by line what stands here.
  Generated from the checker's counterexample: make docs

  @trace @tv1 @tv2
  Scenario: Counterexample of INIT-41
    FencedStaysFenced falls after 18 steps of the checker's.
    onceproof check fix-init-41 --fix-off INIT-41 --property FencedStaysFenced --bound quick=1 --trace gherkin

    Given topic "t" with 1 partition
    And producer A (v5 style) with transactional id "id"
    And producer B (v5 style) with transactional id "id"
    When A sends InitProducerId until it is granted
    Then A is granted producer id P0 at epoch 0
    When A produces "a" to t-0
    Then the answer is NONE at offset 0
    When B sends InitProducerId once
    Then the answer is CONCURRENT_TRANSACTIONS
    When A ends the transaction with abort
    Then the answer is NONE with P0 at epoch 1
