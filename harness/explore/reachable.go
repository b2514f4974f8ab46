package explore

import (
	"cmp"
	"slices"

	"github.com/onceproof/onceproof/fixtures"
)

// Reachable are the triples that a long run on the specification sees at a level of transaction.version: what there is to
// be seen, as far as anyone knows.
func Reachable(level int16) ([]Triple, error) {
	all, err := fixtures.Triples()
	if err != nil {
		return nil, err
	}
	var out []Triple
	for _, t := range all[level] {
		out = append(out, Triple{t[0], t[1], t[2]})
	}
	slices.SortFunc(out, func(a, b Triple) int { return cmp.Compare(a.String(), b.String()) })
	return out, nil
}

// Beyond counts the triples that are not among those given.
func (r *Result) Beyond(reachable []Triple) (beyond []Triple) {
	for _, t := range r.Sorted() {
		if !slices.Contains(reachable, t) {
			beyond = append(beyond, t)
		}
	}
	return beyond
}
