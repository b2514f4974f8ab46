package bundle

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// names make texts readable: the suffix of the run is left out, and producer ids go by names.
type names struct {
	suffix string
	txn    *regexp.Regexp // a transactional id with the suffix; nil without one
	ids    map[int64]string
}

// names are those that lines gave, and P0, P1 … for the ids that come first in an answer.
func (f *Finding) names() *names {
	n := &names{ids: map[int64]string{}}
	if f.Suffix != "" {
		n.suffix = "." + f.Suffix
		// The name of a topic is followed by that of a partition.
		n.txn = regexp.MustCompile(`([\w-]+)` + regexp.QuoteMeta(n.suffix) + `($|[ ,;])`)
	}
	taken := map[string]bool{}
	for name, id := range f.Names {
		if strings.HasPrefix(name, "P") && id >= 0 {
			n.ids[id], taken[name] = name, true
		}
	}
	for i := range f.History {
		x := f.History[i].Exchange
		if x == nil {
			continue
		}
		if r, ok := x.Response.(*kmsg.InitProducerIDResponse); ok && r.ErrorCode == 0 {
			n.add(r.ProducerID, taken)
		}
	}
	return n
}

func (n *names) add(id int64, taken map[string]bool) {
	if _, known := n.ids[id]; known || id < 0 {
		return
	}
	for i := 0; ; i++ {
		if name := fmt.Sprintf("P%d", i); !taken[name] {
			n.ids[id], taken[name] = name, true
			return
		}
	}
}

// A producer id in a text: behind its word, or in a list of aborted transactions.
var (
	producer = regexp.MustCompile(`\bproducer (\d+)\b`)
	aborted  = regexp.MustCompile(`([\[,{] ?)(\d+)( from )`)
)

// A batch in a Produce request, and whether it is transactional; a range of sequences; a list of partitions with one in it.
var (
	batch        = regexp.MustCompile(`\bsequence -?\d+\.\.-?\d+(, transactional)?`)
	oneSequence  = regexp.MustCompile(`\bsequence (-?\d+)\.\.(-?\d+)`)
	onePartition = regexp.MustCompile(`([\w-])\[(\d+)\]`)
)

// read is a text as the report has it.
func (n *names) read(text string) string {
	if n.txn != nil {
		text = flagged(text, n.txn.MatchString(text))
		text = n.txn.ReplaceAllString(text, `transactional id "$1"$2`)
		text = strings.ReplaceAll(text, n.suffix, "")
	}
	text = strings.ReplaceAll(text, "InitProducerID", "InitProducerId")
	text = producer.ReplaceAllStringFunc(text, func(found string) string {
		return "producer " + n.id(strings.TrimPrefix(found, "producer "))
	})
	text = aborted.ReplaceAllStringFunc(text, func(found string) string {
		parts := aborted.FindStringSubmatch(found)
		return parts[1] + n.id(parts[2]) + parts[3]
	})
	text = oneSequence.ReplaceAllStringFunc(text, func(found string) string {
		if parts := oneSequence.FindStringSubmatch(found); parts[1] == parts[2] {
			return "sequence " + parts[1]
		}
		return found
	})
	text = onePartition.ReplaceAllString(text, "$1-$2")
	return strings.TrimSpace(strings.ReplaceAll(text, "with 1 partitions", "with 1 partition"))
}

// flagged says of each batch whether it is transactional, where the request's transactional id, or the lack of one, does
// not let expect it.
func flagged(text string, hasID bool) string {
	return batch.ReplaceAllStringFunc(text, func(found string) string {
		sequence, transactional := strings.CutSuffix(found, ", transactional")
		switch {
		case transactional && !hasID:
			return found + " though the request has no transactional id"
		case !transactional && hasID:
			return found + ", a batch that is not transactional"
		}
		return sequence
	})
}

func (n *names) id(digits string) string {
	id, err := strconv.ParseInt(digits, 10, 64)
	if name, ok := n.ids[id]; ok && err == nil {
		return name
	}
	return digits
}
