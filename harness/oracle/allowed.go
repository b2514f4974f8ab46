package oracle

import (
	"fmt"
	"slices"

	"github.com/onceproof/onceproof/spec"
)

// likely is the rule that decided what was allowed; of several outcomes the
// one that is not a request to try again.
func (v *Violation) likely() spec.Rule {
	rule := spec.NoRule
	for _, a := range v.Allowed {
		if r := first(a.Rules); rule == spec.NoRule || r != spec.NoRule && a.Answer != spec.ConcurrentTransactions.Name() {
			rule = r
		}
	}
	return rule
}

// first is the decisive rule of an allowed answer, which stands before the others.
func first(rules []spec.Rule) spec.Rule {
	if len(rules) == 0 {
		return spec.NoRule
	}
	return rules[0]
}

// allowed are the answers that the states give to a call.
func (b *belief) allowed(c *call, nodes []*node) []Allowed {
	var out []Allowed
	for _, n := range nodes {
		text, rules := "", []spec.Rule(nil)
		for i, ref := range b.refs[c.exchange] {
			at := slices.IndexFunc(n.s.Answers, func(a spec.Answer) bool { return a.Conn == spec.Conn(ref) })
			if at < 0 {
				text = ""
				break
			}
			if i > 0 {
				text += "; "
			}
			text += b.answerText(&c.requests[i], &n.s.Answers[at])
			rules = append(rules, n.rules(ref)...)
		}
		if text != "" && !slices.ContainsFunc(out, func(a Allowed) bool { return a.Answer == text }) {
			out = append(out, Allowed{Answer: text, Rules: foremost(rules)})
		}
	}
	slices.SortStableFunc(out, func(x, y Allowed) int { return len(x.Answer) - len(y.Answer) })
	return out
}

func (b *belief) answerText(r *spec.Request, a *spec.Answer) string {
	s := b.names.See(r, a)
	if s.Code == spec.None && s.ProducerID >= placeholder {
		return fmt.Sprintf("NONE, a new producer id, epoch %d", s.Epoch)
	}
	return s.String()
}
