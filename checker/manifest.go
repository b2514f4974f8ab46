package checker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/zeebo/xxh3"
)

// manifest is a checkpoint: what a search had counted after a level, and the files that hold the rest.
type manifest struct {
	Model Identity `json:"model"`
	// Properties are kinds and names in the order of their numbers, which the tally goes by.
	Properties []string `json:"properties"`
	// Options are those on which the numbers of states depend.
	Options  []string      `json:"options"`
	Depth    int           `json:"depth"`
	Distinct uint64        `json:"distinct"`
	Elapsed  time.Duration `json:"elapsed_ns"`
	Tally    talliedSoFar  `json:"tally"`
	// States are the fingerprints and links of all states, in the order of their numbers; Frontier is the last level.
	States   []fileSum `json:"states"`
	Frontier fileSum   `json:"frontier"`
}

// talliedSoFar is a tally in a manifest.
type talliedSoFar struct {
	Generated uint64   `json:"generated"`
	Actions   []uint64 `json:"actions"`
	Decisions []uint64 `json:"decisions"`
	Budgets   []uint64 `json:"budgets"`
	Applied   []uint64 `json:"applied"`
	First     []uint64 `json:"first"`
}

const manifestTitle = "onceproof checkpoint 2 "

// leastStateBytes is the least that a fingerprint and a link take.
const leastStateBytes = 10

func (m *manifest) encode() []byte {
	b, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		panic("checker: " + err.Error()) // there is nothing in it that JSON does not have
	}
	return append(fmt.Appendf(nil, "%s%016x\n", manifestTitle, xxh3.Hash(b)), b...)
}

// decodeManifest takes only what is whole and agrees with itself.
func decodeManifest(b []byte) (*manifest, error) {
	title, rest, ok := bytes.Cut(b, []byte("\n"))
	sum, ours := strings.CutPrefix(string(title), manifestTitle)
	if !ok || !ours {
		return nil, fmt.Errorf("expected a first line %q and a checksum, got %.60q", strings.TrimSpace(manifestTitle), title)
	}
	if is := fmt.Sprintf("%016x", xxh3.Hash(rest)); is != sum {
		return nil, fmt.Errorf("the checkpoint is damaged or cut off: its checksum is %s, expected %.20s", is, sum)
	}
	m := &manifest{}
	if err := json.Unmarshal(rest, m); err != nil {
		return nil, err
	}
	return m, m.consistent()
}

func (m *manifest) consistent() error {
	var states uint64
	for _, f := range m.States {
		if f.Bytes < 0 || f.Count > 1<<40 || uint64(f.Bytes) < f.Count*leastStateBytes {
			return fmt.Errorf("%q has %d states in %d bytes", f.Name, f.Count, f.Bytes)
		}
		states += f.Count
	}
	if states != m.Distinct || m.Frontier.Count > states {
		return fmt.Errorf("%d states in files and %d in the frontier, expected %d", states, m.Frontier.Count, m.Distinct)
	}
	for _, f := range append(slices.Clone(m.States), m.Frontier) {
		if f.Name == "" || f.Name == "." || f.Name == ".." || filepath.Base(f.Name) != f.Name {
			return fmt.Errorf("%q is no name of a file in the folder", f.Name)
		}
	}
	if m.Depth < 0 || m.Elapsed < 0 {
		return errors.New("the depth or the time is below 0")
	}
	return nil
}

// differs says in what a search is another than that of the checkpoint, "" if in nothing.
func (m *manifest) differs(n *manifest) string {
	switch {
	case m.Model.Name != n.Model.Name:
		return fmt.Sprintf("it is of model %q, this is %q", m.Model.Name, n.Model.Name)
	case m.Model.Version != n.Model.Version:
		return fmt.Sprintf("it is of version %q of model %s, this is %q", m.Model.Version, n.Model.Name, n.Model.Version)
	case !slices.Equal(m.Model.Bounds, n.Model.Bounds):
		return fmt.Sprintf("it is of model %s with bounds %s, these are %s", n.Model.Name, sayBounds(m.Model.Bounds), sayBounds(n.Model.Bounds))
	case !slices.Equal(m.Properties, n.Properties):
		return fmt.Sprintf("its properties are %s, these are %s", strings.Join(m.Properties, ", "), strings.Join(n.Properties, ", "))
	case !slices.Equal(m.Options, n.Options):
		return fmt.Sprintf("it was searched with %s, this is to be with %s", sayOptions(m.Options), sayOptions(n.Options))
	}
	for _, pair := range [...][2][]uint64{
		{m.Tally.Actions, n.Tally.Actions}, {m.Tally.Decisions, n.Tally.Decisions}, {m.Tally.Budgets, n.Tally.Budgets},
		{m.Tally.Applied, n.Tally.Applied}, {m.Tally.First, n.Tally.First},
	} {
		if len(pair[0]) != len(pair[1]) {
			return "it counts other kinds of steps, rules or budgets than the model has"
		}
	}
	return ""
}

func sayOptions(options []string) string {
	if len(options) == 0 {
		return "no option"
	}
	return strings.Join(options, ", ")
}

func sayBounds(bounds []Bound) string {
	var said []string
	for _, b := range bounds {
		said = append(said, b.Name+"="+b.Value)
	}
	return strings.Join(said, ",")
}
