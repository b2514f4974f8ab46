package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/spec/world"
)

// The field names that --json prints are stable: testdata/json.txt has them by command.
func TestFieldNamesAreStable(t *testing.T) {
	var b strings.Builder
	object := func(title string, text []byte) {
		b.WriteString(title + "\n")
		for _, name := range fieldNames(t, text) {
			b.WriteString("  " + name + "\n")
		}
	}
	object("check", wholeCheckObject(t))
	for _, args := range []string{
		"check late-end-txn", "check twophase-hasty --bound n=3", "check idempotent fix-20785", "check nosuch", "list models",
		"list fixes", "list properties", "list rules", "list releases", "rule INIT-31", "rule END-28", "version", "conform --list",
		"conform --broker spec --tags @END-20", "conform --broker kfake --tags @IDEM-18",
		"conform --broker kfake --tags @explore --explore 40",
		"replay ../../features/traces/kafka-19446.feature --broker spec,fix-off=KAFKA-19446",
		"replay ../../features/traces/kafka-19446.feature --broker spec,tv=1",
	} {
		_, stdout, _ := runCommand(t, append(strings.Fields(args), "--json")...)
		object(args, []byte(stdout))
	}
	compare(t, "testdata/json.txt", b.String())
}

// wholeCheckObject is what check --json prints, with every row as recorded but one.
func wholeCheckObject(t *testing.T) []byte {
	t.Helper()
	recorded, err := world.Recorded()
	if err != nil {
		t.Fatal(err)
	}
	rows := slices.Clone(recorded)
	rows[0].Depth++
	w := &wholeCheck{Release: "4.4.0", Expected: len(recorded), Differences: []string{}}
	for _, r := range rows {
		w.add(r, recorded)
	}
	w.conclude(recorded)
	var b bytes.Buffer
	if err := writeJSON(&b, w); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestARowThatIsNotAsRecordedIsAViolation(t *testing.T) {
	recorded, err := world.Recorded()
	if err != nil {
		t.Fatal(err)
	}
	var same, missing wholeCheck
	for i, r := range recorded {
		same.add(r, recorded)
		if i > 0 {
			missing.add(r, recorded[1:])
		}
	}
	same.conclude(recorded)
	missing.conclude(recorded)
	if same.Verdict != checker.VerdictHolds || same.exitCode() != exitHolds {
		t.Errorf("expected exit code 0 with every row as recorded, got %d: %v", same.exitCode(), same.Differences)
	}
	if missing.exitCode() != exitViolated {
		t.Errorf("expected exit code 1 with a row missing, got %d", missing.exitCode())
	}
	var out bytes.Buffer
	same.writeText(&out, "")
	for _, want := range []string{"every row is as recorded", "Apache Kafka", "faults-tv2", "exhausted, holds"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("expected %q in\n%s", want, out.String())
		}
	}
}

// docs/json.md names every field.
func TestEveryFieldIsDocumented(t *testing.T) {
	page, err := os.ReadFile(root + "docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	names, err := os.ReadFile(filepath.Join("testdata", "json.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(names)) {
		if !strings.HasPrefix(line, "  ") {
			continue
		}
		path := strings.TrimSpace(line)
		name := strings.TrimSuffix(path[strings.LastIndex(path, ".")+1:], "[]")
		if !bytes.Contains(page, []byte("`"+name+"`")) {
			t.Errorf("docs/json.md does not name %s (%s)", name, path)
		}
	}
}

// fieldNames are the paths of all fields of an object, sorted; [] is an element. What is keyed by data is left out.
func fieldNames(t *testing.T, text []byte) []string {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("expected one object, got %v:\n%s", err, text)
	}
	var names []string
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if strings.HasSuffix(path, ".bounds") && v != nil || path == "bounds" || strings.HasSuffix(path, ".action") {
				return
			}
			for key, value := range v {
				name := strings.TrimPrefix(path+"."+key, ".")
				names = append(names, name)
				walk(name, value)
			}
		case []any:
			for _, e := range v {
				walk(path+"[]", e)
			}
		}
	}
	walk("", v)
	slices.Sort(names)
	return slices.Compact(names)
}
