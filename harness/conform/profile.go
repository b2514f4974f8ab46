package conform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/onceproof/onceproof/harness/steps"
	"github.com/onceproof/onceproof/spec"
)

// Profile lists the deviations of a broker that are known, each with its reason.
type Profile struct {
	Broker string `json:"broker"`
	About  string `json:"about"`
	// Fields are judged as if they were right.
	Fields     []FieldDeviation `json:"fields,omitempty"`
	Deviations []Deviation      `json:"deviations"`
	// Explored are deviations that random walks find.
	Explored []ExploredDeviation `json:"explored,omitempty"`
}

// Deviation is a scenario in which a broker is known to break rules.
type Deviation struct {
	Scenario string   `json:"scenario"`
	Rules    []string `json:"rules"`
	Reason   string   `json:"reason"`
}

// ReadProfile reads a profile and checks it against the suite: a scenario or a rule that does not exist is an error, and
// so is a deviation without a reason.
func ReadProfile(file string) (*Profile, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	var p Profile
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return nil, fmt.Errorf("profile %s: %w", file, err)
	}
	all, err := Suite()
	if err != nil {
		return nil, err
	}
	for _, f := range p.Fields {
		if _, err := findField(f.Field); err != nil {
			return nil, fmt.Errorf("profile %s: %w", file, err)
		}
		if err := checkReason(f.Rules, f.Reason); err != nil {
			return nil, fmt.Errorf("profile %s: %q: %w", file, f.Field, err)
		}
	}
	for _, d := range p.Explored {
		if err := checkReason([]string{d.Rule}, d.Reason); err != nil {
			return nil, fmt.Errorf("profile %s: explored, %s: %w", file, d.Request, err)
		}
	}
	for _, d := range p.Deviations {
		if !slices.ContainsFunc(all, func(s Scenario) bool { return s.Name == d.Scenario }) {
			return nil, fmt.Errorf("profile %s: expected the name of a scenario (conform --list has them), got %q", file, d.Scenario)
		}
		if err := checkReason(d.Rules, d.Reason); err != nil {
			return nil, fmt.Errorf("profile %s: %q: %w", file, d.Scenario, err)
		}
	}
	return &p, nil
}

func checkReason(rules []string, reason string) error {
	if reason == "" || len(rules) == 0 {
		return fmt.Errorf("expected rules and a reason")
	}
	for _, id := range rules {
		if _, err := spec.ParseRule(id); err != nil {
			return err
		}
	}
	return nil
}

// find gives the deviation that a violation is, if it is listed: the same scenario, and one of its rules broken.
func (p *Profile) find(scenario string, v *steps.Violation) *Deviation {
	if p == nil {
		return nil
	}
	for i := range p.Deviations {
		d := &p.Deviations[i]
		if d.Scenario != scenario {
			continue
		}
		for _, r := range v.Rules {
			if slices.Contains(d.Rules, r.String()) {
				return d
			}
		}
	}
	return nil
}

// stale are the listed deviations whose scenario ran and conformed.
func (p *Profile) stale(results []ScenarioResult) []Deviation {
	if p == nil {
		return nil
	}
	var out []Deviation
	for _, d := range p.Deviations {
		if slices.ContainsFunc(results, func(r ScenarioResult) bool { return r.Name == d.Scenario && r.Verdict == Conforms }) {
			out = append(out, d)
		}
	}
	return out
}
