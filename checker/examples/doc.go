// Package examples holds models of well-known problems, each a package that shows one feature of the checker:
//
//   - diehard: the counterexample is the solution
//   - river: missionaries and cannibals; a witness, and steps that are tried and dropped
//   - philosophers: a deadlock, and the order of the forks that prevents it
//   - ewd840: detection of termination on a ring; invariants, and a goal that can always be reached
//   - paxos: consensus; interchangeable acceptors and values
//
// How many states each has is in fixtures/checker-examples.json, with the source of each number; the tests compare.
package examples
