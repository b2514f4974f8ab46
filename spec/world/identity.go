package world

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/spec"
)

// modelVersion changes whenever an old trace could mean something else in the model of today.
const modelVersion = "1"

// FromIdentity is the inverse of Config.Identity: it returns the configuration that a trace names. What no identity
// holds (About) is left empty. The error says what was expected and what came.
func FromIdentity(id checker.Identity) (Config, error) {
	if id.Version != modelVersion {
		return Config{}, fmt.Errorf("model %s: expected version %q, got %q: made by another version of this program", id.Name, modelVersion, id.Version)
	}
	values := map[string]string{}
	for _, b := range id.Bounds {
		values[b.Name] = b.Value
	}
	c := base(id.Name, "", Idempotent)
	for _, read := range []func(map[string]string) error{c.readStyle, c.readTransactionVersion, c.readFixes, c.readBounds} {
		if err := read(values); err != nil {
			return Config{}, fmt.Errorf("model %s: %w", id.Name, err)
		}
	}
	if n := len(c.Identity().Bounds); len(id.Bounds) != n {
		return Config{}, fmt.Errorf("model %s: expected %d bounds, got %d", id.Name, n, len(id.Bounds))
	}
	return c, c.Check()
}

func (c *Config) readStyle(values map[string]string) error {
	for _, st := range []Style{TV1Style, TV2Style, Idempotent} {
		if values["style"] == st.String() {
			c.Style = st
			return nil
		}
	}
	return fmt.Errorf("expected style %s, %s or %s, got %q", TV1Style, TV2Style, Idempotent, values["style"])
}

func (c *Config) readTransactionVersion(values map[string]string) error {
	v, err := strconv.ParseInt(values["transaction.version"], 10, 8)
	if err != nil || v < 0 || v > 2 {
		return fmt.Errorf("expected transaction.version 0, 1 or 2, got %q", values["transaction.version"])
	}
	c.Rules.TransactionVersion = int8(v)
	return nil
}

func (c *Config) readFixes(values map[string]string) error {
	list, opened := strings.CutPrefix(values["fixes"], "[")
	list, closed := strings.CutSuffix(list, "]")
	if !opened || !closed {
		return fmt.Errorf("expected fixes as [ID ...], got %q", values["fixes"])
	}
	c.Rules.Fixes = 0
	for _, name := range strings.Fields(list) {
		f, err := spec.ParseFix(name)
		if err != nil {
			return err
		}
		c.Rules.Fixes |= f
	}
	return nil
}

func (c *Config) readBounds(values map[string]string) error {
	for _, b := range c.bounds() {
		v, err := strconv.Atoi(values[b.name])
		if err != nil {
			return fmt.Errorf("expected a number for the bound %s, got %q", b.name, values[b.name])
		}
		*b.at = v
	}
	return nil
}

// Rebuild returns the model that a trace was found in: that of its configuration, with its guard weakened if the
// configuration is that of a weakening.
func Rebuild(id checker.Identity) (*Model, error) {
	c, err := FromIdentity(id)
	if err != nil {
		return nil, err
	}
	m, err := New(c)
	if err != nil {
		return nil, err
	}
	for _, w := range Weakenings() {
		if w.Config.Name == c.Name {
			m.weakened = w.after
		}
	}
	return m, nil
}
