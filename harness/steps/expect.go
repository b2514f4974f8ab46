package steps

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/cucumber/godog"

	"github.com/onceproof/onceproof/spec"
)

// outcome is what a line says an answer is: "NONE at offset 3", "NONE with P0 at epoch 1".
type outcome struct {
	code     int16
	offset   *int64
	producer string
	epoch    *int16
	fix      *spec.Fixes // the switch that gives this outcome
	last     bool        // what follows is about a broker without the switch
	text     string
}

var (
	answerParts  = regexp.MustCompile(`^([A-Z_]+)(?: at offset (-?\d+))?(?: with (P\d+) at epoch (-?\d+))?(?: by (\S+?)( and that is all)?)?$`)
	betweenParts = regexp.MustCompile(`, or `)
)

// Over is an error that ends a scenario early and well: the broker has a fix, and what follows is about one without it.
type Over struct{ Because string }

func (o *Over) Error() string { return "the scenario ends here: " + o.Because }

// Is makes godog skip the rest of the scenario.
func (o *Over) Is(target error) bool { return target == godog.ErrSkip }

// parseOutcomes reads an answer and the alternatives that other releases give: "INVALID_TXN_STATE, or PRODUCER_FENCED
// by KAFKA-20785".
func parseOutcomes(text string) ([]outcome, error) {
	var out []outcome
	for _, part := range betweenParts.Split(text, -1) {
		m := answerParts.FindStringSubmatch(strings.TrimSpace(part))
		if m == nil {
			return nil, fmt.Errorf("expected an answer such as NONE at offset 3, NONE with P0 at epoch 1, PRODUCER_FENCED by KAFKA-20785, got %q", part)
		}
		o := outcome{text: part, producer: m[3]}
		var err error
		if o.code, err = codeOf(m[1]); err != nil {
			return nil, err
		}
		if m[2] != "" {
			o.offset = new(int64)
			if _, err := fmt.Sscan(m[2], o.offset); err != nil {
				return nil, err
			}
		}
		if m[4] != "" {
			o.epoch = new(int16)
			if _, err := fmt.Sscan(m[4], o.epoch); err != nil {
				return nil, err
			}
		}
		if m[5] != "" {
			fix, err := spec.ParseFix(m[5])
			if err != nil {
				return nil, err
			}
			o.fix, o.last = &fix, m[6] != ""
		}
		out = append(out, o)
	}
	return out, nil
}

// applicable leaves out what the release that is judged by does not do: with a switch on only its outcome is right,
// with it off the other one, and, unless the release is demanded exactly, the fixed one too.
func (w *World) applicable(all []outcome) []outcome {
	fixed := spec.Fixes(0)
	for _, o := range all {
		if o.fix != nil && w.Release.Fixes.Has(*o.fix) {
			fixed |= *o.fix
		}
	}
	var out []outcome
	for _, o := range all {
		switch {
		case o.fix == nil && fixed == 0, o.fix != nil && w.Release.Fixes.Has(*o.fix), o.fix != nil && !w.Strict:
			out = append(out, o)
		}
	}
	return out
}

// expect checks the last answer against what a line says.
func (w *World) expect(text string) error {
	if _, err := w.answered(); err != nil {
		return err
	}
	all, err := parseOutcomes(text)
	if err != nil {
		return err
	}
	var wanted []string
	for _, o := range w.applicable(all) {
		ok, err := w.matches(&w.last.answer, &o)
		if ok && err == nil && o.last {
			return &Over{Because: o.text}
		}
		if ok || err != nil {
			return err
		}
		wanted = append(wanted, o.text)
	}
	v := mismatch(strings.Join(wanted, ", or "), w.describe(w.last))
	v.Sent = w.last.sent()
	return v
}

func (w *World) matches(a *answer, o *outcome) (bool, error) {
	if a.code != o.code || o.offset != nil && a.offset != *o.offset || o.epoch != nil && a.epoch != *o.epoch {
		return false, nil
	}
	for _, code := range a.partitions {
		if code != o.code {
			return false, nil
		}
	}
	if o.producer == "" {
		return true, nil
	}
	return true, w.bind(o.producer, a.producerID)
}

// describe says what came.
func (w *World) describe(c *call) string {
	a := &c.answer
	var b strings.Builder
	b.WriteString(codeName(a.code))
	for p, code := range a.partitions {
		if code != a.code {
			fmt.Fprintf(&b, " (%v: %s)", p, codeName(code))
		}
	}
	if c.phrase.api == spec.Produce {
		fmt.Fprintf(&b, " at offset %d", a.offset)
	}
	if a.producerID != spec.NoProducer || c.phrase.api == spec.InitProducerID {
		fmt.Fprintf(&b, " with %s at epoch %d", w.symbol("P", a.producerID), a.epoch)
	}
	return b.String()
}

// expectPartition checks the code of one partition in the last answer.
func (w *World) expectPartition(name, code string) error {
	at, err := parsePartition(name)
	if err != nil {
		return err
	}
	want, err := codeOf(code)
	if err != nil {
		return err
	}
	c, err := w.answered()
	if err != nil {
		return err
	}
	got, ok := c.answer.partitions[at]
	if !ok {
		return mismatch(code+" for "+name, "no answer for it")
	}
	return same(code+" for "+name, codeName(got), got == want)
}

// expectCode checks the code alone: where each style of client is answered with more, or less, beside it.
func (w *World) expectCode(name string) error {
	want, err := codeOf(name)
	if err != nil {
		return err
	}
	c, err := w.answered()
	if err != nil {
		return err
	}
	return same(name, w.describe(c), c.answer.code == want)
}
