package conform

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/onceproof/onceproof/harness/script"
)

// unsendable says why a trace is not to be played on a broker at a level of transaction.version, or "": at level 0 a
// request of TV2's style leaves the transactional id pending until the coordinator loads its log again (ADD-28). A trace
// that was found there, or is meant for it, means to do so.
func (g *given) unsendable(level int16) string {
	if level != 0 || slices.Contains(g.levels, 0) {
		return ""
	}
	if line := breaksAtLevel0(g.script); line != "" {
		return fmt.Sprintf("its requests can't be sent to a broker at transaction.version 0, where they break the transactional id (ADD-28): %q", line)
	}
	return ""
}

// elsewhere says that a trace is from another level, or "".
func (g *given) elsewhere(level int16) string {
	if len(g.levels) == 0 || slices.Contains(g.levels, level) {
		return ""
	}
	levels := strings.Join(strings.Fields(strings.Trim(fmt.Sprint(g.levels), "[]")), ", ")
	if g.kind == Written {
		return fmt.Sprintf("it is meant for transaction.version %s, the broker's is %d", levels, level)
	}
	return fmt.Sprintf("it is from transaction.version %s, the broker's is %d: answers may differ for that reason", levels, level)
}

// Lines that introduce a producer with a transactional id, and that send what may be of TV2's style.
var (
	introduces = regexp.MustCompile(`^producer (\w+)(?: \((v[45]) style\))? with transactional id `)
	sends      = regexp.MustCompile(`^(\w+)(?:'s | sends | )(produces|writes|ends the|Produce\b|EndTxn\b|AddPartitionsToTxn\b)`)
	versioned  = regexp.MustCompile(`\bversion (\d+)`)
)

// breaksAtLevel0 is the first line that sends a request of TV2's style in a transaction, "" if none does.
func breaksAtLevel0(s *script.Script) string {
	v5, known := map[string]bool{}, map[string]bool{}
	for _, st := range s.Steps {
		if m := introduces.FindStringSubmatch(st.Text); m != nil {
			known[m[1]], v5[m[1]] = true, m[2] == "v5"
			continue
		}
		m := sends.FindStringSubmatch(st.Text)
		if m == nil || !known[m[1]] {
			continue
		}
		tv2 := v5[m[1]]
		if v := versioned.FindStringSubmatch(st.Text); v != nil {
			n, err := strconv.Atoi(v[1])
			tv2 = err == nil && n >= lowestOfTV2[m[2]]
		}
		if m[2] == "AddPartitionsToTxn" { // a client's is of v3, whatever its style
			tv2 = tv2 && versioned.MatchString(st.Text) && !strings.Contains(st.Text, "verify only")
		}
		if tv2 {
			return st.Text
		}
	}
	return ""
}

// lowestOfTV2, read only, is the first version of a request, by the words that send it, that is of TV2's style.
var lowestOfTV2 = map[string]int{"produces": 12, "writes": 12, "Produce": 12, "ends the": 5, "EndTxn": 5, "AddPartitionsToTxn": 4}
