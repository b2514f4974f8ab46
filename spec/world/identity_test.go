package world

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/spec"
)

func TestFromIdentityIsTheInverseOfIdentity(t *testing.T) {
	for _, j := range jobs(spec.AllReleases()[0]) {
		want := j.config
		got, err := FromIdentity(want.Identity())
		if err != nil {
			t.Errorf("%s: %v", want.Name, err)
			continue
		}
		got.About = want.About
		if !reflect.DeepEqual(got, want) {
			t.Errorf("expected %+v, got %+v", want, got)
		}
	}
}

func TestFromIdentityRefusesWhatItDoesNotKnow(t *testing.T) {
	change := func(name, value string) checker.Identity {
		c := Models()[0]
		id := c.Identity()
		for i := range id.Bounds {
			if id.Bounds[i].Name == name {
				id.Bounds[i].Value = value
			}
		}
		return id
	}
	other := change("", "")
	other.Version = "0"
	more := change("", "")
	more.Bounds = append(more.Bounds, checker.Bound{Name: "moons", Value: "2"})
	for _, test := range []struct {
		id   checker.Identity
		want string
	}{
		{other, `expected version "1", got "0"`},
		{more, "bounds, got"},
		{change("style", "TV3-style"), `got "TV3-style"`},
		{change("transaction.version", "9"), `got "9"`},
		{change("fixes", "KAFKA-1"), "expected fixes as [ID ...]"},
		{change("fixes", "[KAFKA-1]"), `no fix "KAFKA-1"; known:`},
		{change("partitions", "many"), `expected a number for the bound partitions, got "many"`},
		{change("partitions", "77"), "bound partitions is 77, must be 1 to 4"},
	} {
		if _, err := FromIdentity(test.id); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("expected an error with %q, got %v", test.want, err)
		}
	}
}

// A trace is read back and replayed on the model that it names, a weakened one too.
func TestTracesAreReplayedOnTheModelThatTheyName(t *testing.T) {
	recorded, err := Recorded()
	if err != nil {
		t.Fatal(err)
	}
	for i, j := range jobs(spec.AllReleases()[0]) {
		if j.property == "" || !explores(recorded[i]) {
			continue
		}
		row, err := j.run(context.Background(), checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if row.Trace == nil {
			continue // with the fix on
		}
		var file bytes.Buffer
		if err := row.Trace.WriteJSON(&file); err != nil {
			t.Fatal(err)
		}
		m, err := Rebuild(row.Trace.Model)
		if err != nil {
			t.Fatal(err)
		}
		read, err := checker.ReadTrace(&file, m)
		if err != nil {
			t.Fatal(err)
		}
		again, err := checker.Replay(m, read, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(again, row.Trace) {
			t.Errorf("%s %s: the replay differs from the trace", row.Table, row.Name)
		}
	}
}
