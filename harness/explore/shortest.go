package explore

import (
	"context"
	"fmt"
	"strings"

	"github.com/onceproof/onceproof/harness/script"
)

// fingerprinted is a broker that tells its states apart; the reference broker does.
type fingerprinted interface{ Fingerprint() uint64 }

// Shortest tries every scenario of two producers of one transactional id made of the
// requests of the walks, breadth first, and gives the first that breaks the rule, or nil if none of up to depth exchanges
// does. A request that changes nothing in the broker is tried as the last one only. It is for measuring how near to the
// shortest a shortened walk comes.
func Shortest(ctx context.Context, o Options, level int8, rule string, depth int) (found *script.Script, played int, err error) {
	o.fill()
	moves := alphabet(level)
	setup := &script.Script{Breaks: "any"}
	setup.Add(script.Given, `topic "t" with 1 partition`)
	style := "v5"
	if level == 0 {
		style = "v4"
	}
	setup.Add(script.Given, `producer A (%s style) with transactional id "x" and timeout 300 ms`, style)
	setup.Add(script.Given, `producer B (%s style) with transactional id "x"`, style)
	type prefix struct {
		script *script.Script
		state  uint64
	}
	level0 := []prefix{{script: setup}}
	seen := map[uint64]bool{}
	for n := 1; n <= depth; n++ {
		var next []prefix
		for _, p := range level0 {
			for _, move := range moves {
				s := p.script.Clone()
				s.Add(script.When, "%s", strings.ReplaceAll(move, `"v"`, fmt.Sprintf(`"v%d"`, n)))
				played++
				state, breaks, going, err := o.tried(ctx, s, fmt.Sprintf("%sq%d", o.Suffix, played))
				if err != nil || breaks == rule {
					return s, played, err
				}
				if going && breaks == "" && state != p.state && !seen[state] {
					seen[state] = true
					next = append(next, prefix{s, state})
				}
			}
		}
		level0 = next
	}
	return nil, played, nil
}

// tried plays a script: in which state it leaves the broker, which rule it broke, and whether it can be gone on with.
func (o *Options) tried(ctx context.Context, s *script.Script, suffix string) (state uint64, breaks string, going bool, err error) {
	b, done, err := o.Open(ctx)
	if err != nil {
		return 0, "", false, err
	}
	defer done(nil)
	c, err := o.config(ctx, b, suffix, false)
	if err != nil {
		return 0, "", false, err
	}
	out := script.Play(ctx, c.Config, s)
	if f, ok := b.(fingerprinted); ok {
		state = f.Fingerprint()
	}
	if out.Violation != nil {
		breaks = SignatureOf(out.Violation, suffix).Rule
	}
	return state, breaks, out.Step == len(s.Steps), nil
}

// alphabet are the lines that Shortest makes scenarios of.
func alphabet(level int8) []string {
	moves := []string{
		"A sends InitProducerId", "B sends InitProducerId",
		"A sends InitProducerId(its identity) once", "A sends InitProducerId(its identity, one epoch earlier) once",
		"B sends InitProducerId(the identity of A) once",
		"A sends InitProducerId(timeout 0) once", "A sends InitProducerId(timeout 900001) once",
		"A sends InitProducerId(an empty transactional id) once", "A sends InitProducerId(a null transactional id) once",
		"A sends AddPartitionsToTxn(t-0) once", "A sends AddPartitionsToTxn(t-0, one epoch earlier) once",
		"A sends AddPartitionsToTxn(t-0 t-1) once", "A sends AddPartitionsToTxn(t-0, verify only) once",
		"A sends AddPartitionsToTxn(t-0, verify only, one epoch earlier) once", "B sends AddPartitionsToTxn(t-0) once",
		"A sends WriteTxnMarkers(abort, t-0) once", "A sends WriteTxnMarkers(commit, t-0, one epoch earlier) once",
		"A sends WriteTxnMarkers(commit, t-0, one epoch later, transaction version 2) once",
		"A sends WriteTxnMarkers(commit, t-0, transaction version 2) once", "A sends WriteTxnMarkers(abort, t-0, coordinator epoch 1000) once",
		"the request is sent again on another connection",
		"t-0 is fetched read_committed", "t-0 is fetched read_uncommitted",
		"the latest offset of t-0 is asked read_committed", "the latest offset of t-0 is asked read_uncommitted",
		`"x" is described`, "the producers of t-0 are described",
		`the transaction of "x" completes`, `the transaction of "x"` + timesOut,
	}
	produce, end := []int{11}, []int{4}
	if level > 0 {
		produce, end = []int{12, 11}, []int{5, 4}
	}
	for _, v := range produce {
		for _, how := range []string{"", ", one sequence earlier", ", one sequence later", ", one epoch earlier", ", one epoch later",
			", without the transactional flag", ", a null transactional id", ", acks 1"} {
			moves = append(moves, fmt.Sprintf(`A sends Produce("v" to t-0, version %d%s) once`, v, how))
		}
		moves = append(moves, fmt.Sprintf(`A sends Produce("v" to t-9, version %d) once`, v))
	}
	for _, v := range end {
		for _, how := range []string{"commit", "abort", "commit, one epoch earlier", "abort, one epoch earlier", "abort, one epoch later", "abort, an empty transactional id"} {
			moves = append(moves, fmt.Sprintf(`A sends EndTxn(%s, version %d) once`, how, v))
		}
		moves = append(moves, fmt.Sprintf(`B sends EndTxn(abort, version %d) once`, v))
	}
	return moves
}

// Moves is how many exchanges of a tester a script is: its lines but for those that set up, or only make a request.
func Moves(s *script.Script) int {
	n := 0
	for _, st := range s.Steps {
		if st.Keyword != script.Given && !strings.Contains(st.Text, " is held as ") && !strings.HasSuffix(st.Text, " is answered") {
			n++
		}
	}
	return n
}
