Feature: Exploration
  Requests of the protocol in any order: those of a client, those that no client would send, copies of both, two under
  way at once. There is nothing to expect but that every answer and every log is one that the rules allow.

  @tv0 @tv1 @tv2 @explore
  Scenario: Random walks over the protocol's requests
    When random walks are gone
    Then nothing came that the rules do not allow
