package steps

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/onceproof/onceproof/spec"
)

// partition is a partition by the topic's name in the feature.
type partition struct {
	topic string
	index int32
}

func (p partition) String() string { return p.topic + "-" + strconv.Itoa(int(p.index)) }

// parsePartition reads "t-0".
func parsePartition(text string) (partition, error) {
	i := strings.LastIndexByte(text, '-')
	if i <= 0 {
		return partition{}, fmt.Errorf("expected a partition such as t-0, got %q", text)
	}
	n, err := strconv.ParseInt(text[i+1:], 10, 32)
	if err != nil {
		return partition{}, fmt.Errorf("expected a partition such as t-0, got %q", text)
	}
	return partition{text[:i], int32(n)}, nil
}

// phrase is a request as a line of a feature writes it, before an actor fills in what it leaves open.
type phrase struct {
	api        spec.API
	partitions []partition
	values     []string
	commit     bool
	verify     bool
	identity   bool // InitProducerId: with the actor's own identity
	plain      bool // Produce: without the transactional flag
	forced     bool // Produce: with the transactional flag, whoever sends
	lacksTxn   bool // with a null transactional id
	emptyTxn   bool // with an empty one

	producer         *string // as written: P0 or a number
	id               int64   // the producer id that it means
	version          *int16
	epoch            *int16
	sequence         *int32
	timeout          *int32
	acks             *int16
	coordinatorEpoch *string
	markerVersion    *int8

	of            string // the actor whose identity is used, "" for the sender's own
	epochShift    int16  // from that identity's epoch
	sequenceShift int32  // from the actor's next sequence
}

// requestNames, read only, are the requests that a line can name.
var requestNames = map[string]spec.API{
	"InitProducerId": spec.InitProducerID, "AddPartitionsToTxn": spec.AddPartitionsToTxn, "Produce": spec.Produce,
	"EndTxn": spec.EndTxn, "WriteTxnMarkers": spec.WriteTxnMarkers,
}

// parseRequest reads "EndTxn(commit, epoch 3)", "Produce("a" "b" to t-0 with sequence 5)".
func parseRequest(text string) (phrase, error) {
	name := text
	if i := strings.IndexAny(text, "( "); i >= 0 {
		name = text[:i]
	}
	api, ok := requestNames[name]
	if !ok {
		return phrase{}, fmt.Errorf("expected InitProducerId, AddPartitionsToTxn, Produce, EndTxn or WriteTxnMarkers, got %q", name)
	}
	return parsePhrase(api, text[len(name):])
}

// word is one way to say something about a request; the parts in parentheses are handed to take.
type word struct {
	pattern *regexp.Regexp
	take    func(p *phrase, m []string) error
}

func says(pattern string, take func(p *phrase, m []string) error) word {
	return word{regexp.MustCompile(`^(?:` + pattern + `)`), take}
}

// shifts, read only, are what a line can say in place of a number.
var shifts = map[string]int16{"earlier": -1, "later": 1}

// words, read only, are tried in order at each place of a phrase.
var words = []word{
	says(`[\s(),]+|(?:with|at|to|on|of|and|in|for)\b`, func(*phrase, []string) error { return nil }),
	says(`"([^"]*)"`, func(p *phrase, m []string) error { p.values = append(p.values, m[1]); return nil }),
	says(`(\d+) records?\b`, func(p *phrase, m []string) error {
		n, err := strconv.Atoi(m[1])
		for i := range n {
			p.values = append(p.values, "r"+strconv.Itoa(i))
		}
		return err
	}),
	says(`sequence (-?\d+)`, func(p *phrase, m []string) error { return number(&p.sequence, m[1], 32) }),
	says(`coordinator epoch (C\d+|-?\d+)`, func(p *phrase, m []string) error { p.coordinatorEpoch = &m[1]; return nil }),
	says(`epoch (-?\d+)`, func(p *phrase, m []string) error { return number(&p.epoch, m[1], 16) }),
	says(`producer id (P\d+|-?\d+)`, func(p *phrase, m []string) error { p.producer = &m[1]; return nil }),
	says(`transaction version (\d+)`, func(p *phrase, m []string) error { return number(&p.markerVersion, m[1], 8) }),
	says(`version (\d+)`, func(p *phrase, m []string) error { return number(&p.version, m[1], 16) }),
	says(`timeout (-?\d+)(?: ms)?`, func(p *phrase, m []string) error { return number(&p.timeout, m[1], 32) }),
	says(`acks (-?\d+)`, func(p *phrase, m []string) error { return number(&p.acks, m[1], 16) }),
	says(`a null transactional id`, func(p *phrase, _ []string) error { p.lacksTxn = true; return nil }),
	says(`an empty transactional id`, func(p *phrase, _ []string) error { p.emptyTxn = true; return nil }),
	says(`the identity of (\w+)`, func(p *phrase, m []string) error { p.of = m[1]; return nil }),
	says(`one epoch (earlier|later)`, func(p *phrase, m []string) error { p.epochShift = shifts[m[1]]; return nil }),
	says(`one sequence (earlier|later)`, func(p *phrase, m []string) error { p.sequenceShift = int32(shifts[m[1]]); return nil }),
	says(`its identity`, func(p *phrase, _ []string) error { p.identity = true; return nil }),
	says(`without the transactional flag`, func(p *phrase, _ []string) error { p.plain = true; return nil }),
	says(`the transactional flag`, func(p *phrase, _ []string) error { p.forced = true; return nil }),
	says(`verify only`, func(p *phrase, _ []string) error { p.verify = true; return nil }),
	says(`commit\b`, func(p *phrase, _ []string) error { p.commit = true; return nil }),
	says(`abort\b`, func(p *phrase, _ []string) error { p.commit = false; return nil }),
	says(`([A-Za-z][\w.]*(?:-[\w.]+)*-\d+)\b`, func(p *phrase, m []string) error {
		at, err := parsePartition(m[1])
		p.partitions = append(p.partitions, at)
		return err
	}),
}

// parsePhrase reads what a line says about a request of the given API.
func parsePhrase(api spec.API, text string) (phrase, error) {
	p := phrase{api: api}
	rest := text
next:
	for rest != "" {
		for _, w := range words {
			m := w.pattern.FindStringSubmatch(rest)
			if m == nil {
				continue
			}
			if err := w.take(&p, m); err != nil {
				return p, err
			}
			rest = rest[len(m[0]):]
			continue next
		}
		return p, fmt.Errorf("%v: expected what a request can say (sequence 5, epoch 3, version 11, t-0, \"value\" …), got %q", api, rest)
	}
	return p, nil
}

// number reads an integer of at most so many bits into a field of its own.
func number[T int8 | int16 | int32](field **T, text string, bits int) error {
	n, err := strconv.ParseInt(text, 10, bits)
	if err != nil {
		return fmt.Errorf("expected a number of %d bits, got %q", bits, text)
	}
	v := T(n)
	*field = &v
	return nil
}
