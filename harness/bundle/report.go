package bundle

import (
	"fmt"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/spec"
)

// Markdown is the report for people. Folder is the name of the folder that it is in.
func (f *Finding) Markdown(folder string) string {
	n := f.names()
	entries := f.entries(n)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", f.title(n), f.sentence(n))
	if f.Known != "" {
		fmt.Fprintf(&b, "This is a known deviation: %s\n\n", f.Known)
	}
	f.writeFacts(&b, folder)
	f.writeExchange(&b, n, entries)
	f.writeAllowed(&b, n)
	fmt.Fprintf(&b, "\n## As a diagram\n\n```mermaid\n%s```\n", f.diagram(n, entries))
	f.writeFiles(&b)
	return b.String()
}

// title says what is broken, in the words of the wire.
func (f *Finding) title(n *names) string {
	v := f.Violation
	request := f.request(n)
	if request == "" {
		return fmt.Sprintf("%s: %s, expected %s", f.Broker, short(f.came(n)), oneOf(f.outcomes(n)))
	}
	return fmt.Sprintf("%s: %s %s, expected %s", f.Broker, request, verb(v.Came)+short(f.came(n)), oneOf(f.outcomes(n)))
}

// verb goes between a request and what came.
func verb(came string) string {
	switch {
	case came == "" || strings.HasPrefix(came, "no answer"):
		return "gets "
	case code.MatchString(came), strings.HasPrefix(came, "expected "):
		return "answers "
	}
	return "shows "
}

// request is the name and version of the request that the violation is about, "" if it is about none.
func (f *Finding) request(n *names) string {
	words := strings.Fields(n.read(f.Violation.Sent))
	return strings.Join(words[:min(2, len(words))], " ")
}

// sentence says what is broken and who is hurt.
func (f *Finding) sentence(n *names) string {
	about := "When the last line of the scenario is played, "
	if sent := n.read(f.Violation.Sent); sent != "" {
		about = fmt.Sprintf("To `%s` ", sent)
	}
	return fmt.Sprintf("%s%s gives %s; Apache Kafka %s gives %s. %s", about, f.Broker, quoted(f.came(n)), f.Release, quoted(f.allowed(n)), Harm(f.Violation))
}

// came is what came, said whole.
func (f *Finding) came(n *names) string {
	if f.Violation.Came == "" {
		return "an answer with nothing in it"
	}
	return plain(n.read(f.Violation.Came))
}

// allowed is what was allowed, in one phrase.
func (f *Finding) allowed(n *names) string { return strings.Join(f.outcomes(n), " or ") }

// outcomes are the distinct ones that were allowed.
func (f *Finding) outcomes(n *names) []string {
	var out []string
	for _, a := range f.Violation.Allowed {
		if text := f.outcome(n, a.Outcome); !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	if len(out) == 0 {
		return []string{"another answer"}
	}
	return out
}

// outcome is an outcome that was allowed, said whole: where the code is the one that came, what else it has to say.
func (f *Finding) outcome(n *names, text string) string {
	text = plain(n.read(text))
	rest, same := strings.CutPrefix(f.Violation.Came, text)
	switch {
	case same && strings.HasPrefix(rest, ", base offset "):
		return text + ", base offset -1"
	case same && strings.HasPrefix(rest, ", producer "):
		return text + ", producer -1, epoch -1"
	case logStart.MatchString(f.Violation.Came):
		return text + ", log start offset 0"
	}
	return text
}

// What the oracle says of an answer that is not as it has to be, whatever the state.
var (
	logStart  = regexp.MustCompile(`^expected 0 as the start of the log of (\S+), got (-?\d+)$`)
	malformed = regexp.MustCompile(`^expected (.+), got (.+)$`)
	ofOne     = regexp.MustCompile(`^(.+) of producer (\S+) (-?\d+)$`)
	atOffset  = regexp.MustCompile(`^(at offset \d+) (.+), at offset \d+$`)
)

// plain says in other words what the oracle says for itself.
func plain(text string) string {
	switch text {
	case "aborted list null true":
		return "no list of aborted transactions (null)"
	case "aborted list null false":
		return "a list of aborted transactions, if an empty one"
	}
	text = logStart.ReplaceAllString(text, "log start offset $2 for $1")
	text = ofOne.ReplaceAllString(text, "$1 $3 of producer $2")
	text = malformed.ReplaceAllString(text, "$2 in place of $1")
	return atOffset.ReplaceAllString(text, "$1 $2")
}

// most is how many characters of an outcome a title has.
const most = 70

// oneOf is what was allowed, for a title: the first, and the others as far as there is room.
func oneOf(outcomes []string) string {
	for n := len(outcomes); n > 1; n-- {
		text := strings.Join(outcomes[:n], " or ")
		if left := len(outcomes) - n; left > 0 {
			text += fmt.Sprintf(" or %s", others(left))
		}
		if len([]rune(text)) <= most {
			return text
		}
	}
	text := short(outcomes[0])
	if left := len(outcomes) - 1; left > 0 {
		text += fmt.Sprintf(" or %s", others(left))
	}
	return text
}

func others(n int) string {
	if n == 1 {
		return "1 other answer"
	}
	return fmt.Sprintf("%d other answers", n)
}

// short keeps a title a line.
func short(text string) string {
	if runes := []rune(text); len(runes) > most {
		return strings.TrimSpace(string(runes[:most-1])) + "…"
	}
	return text
}

// quoted is a text as code.
func quoted(text string) string { return "`" + strings.ReplaceAll(text, "`", "'") + "`" }

func (f *Finding) writeFacts(b *strings.Builder, folder string) {
	row := func(name, format string, args ...any) {
		fmt.Fprintf(b, "| %s | %s |\n", name, cell(fmt.Sprintf(format, args...)))
	}
	b.WriteString("| | |\n|---|---|\n")
	row("broker", "%s, transaction.version %d", f.software(), f.TransactionVersion)
	if offered := f.offered(); offered != "" {
		row("API versions that it offers", "%s", offered)
	}
	row("judged by", "%s", f.judged())
	if rule := f.rule(); rule != "" {
		row("broken rule", "%s, below", rule)
	}
	if f.From != "" {
		row("found by", "%s: %s", f.From, f.Script.Name)
	}
	if f.Of > 0 {
		row("how often", "%d of the %d times that it was played again, each with new ids", f.Failed, f.Of)
	}
	row("to play it again", "in the folder that holds this one: `%s`; exit code 1: it is there, 0: it is not, 2: could not be judged", f.Command(folder))
	if kafka := f.kafka(); kafka != "" {
		row("to compare", "the same with `--broker %s` instead: Apache Kafka %s in a container (`make kafka-image` of onceproof builds it); expected: exit code 0", kafka, f.Release)
	}
}

// kafka is the broker that did what was expected when the specification was measured, "" if it is the one that is judged,
// or if the release that is judged by was not measured.
func (f *Finding) kafka() string {
	if strings.HasPrefix(f.Broker, "docker:") || strings.Trim(f.Release, "0123456789.") != "" {
		return ""
	}
	return fmt.Sprintf("docker:onceproof/kafka:%s,tv=%d", f.Release, f.TransactionVersion)
}

// Command plays the scenario of a bundle in a folder once more, judged as it was.
func (f *Finding) Command(folder string) string {
	text := fmt.Sprintf("onceproof replay %s --broker %s", shell(folder+"/"+TraceFile), shell(f.Broker))
	if f.Profile != "" {
		text += " --profile " + shell(f.Profile)
	}
	return text
}

// shell is a word of a command line.
func shell(word string) string {
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=@+") == "" && word != "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// offered are the versions that the broker offers of the requests that were sent.
func (f *Finding) offered() string {
	var out []string
	for i := range f.History {
		e := &f.History[i]
		if e.Exchange == nil || e.Setup {
			continue
		}
		key := e.Exchange.Request.Key()
		r, ok := f.Versions.Keys[key]
		text := strings.ReplaceAll(fmt.Sprintf("%s v%d to v%d", kmsg.NameForKey(key), r.Min, r.Max), "ProducerID", "ProducerId")
		if ok && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return strings.Join(out, ", ")
}

func (f *Finding) writeExchange(b *strings.Builder, n *names, entries []entry) {
	b.WriteString("\n## What was exchanged\n\nEach request with its answer; onceproof sent them all, in the part that stands before each. ")
	if len(n.ids) > 0 {
		b.WriteString("P0 and the like stand for producer ids. ")
	}
	if slices.ContainsFunc(entries, func(x entry) bool { return strings.Contains(x.note, "is held as") }) {
		b.WriteString("A request that is held is on its way, as on a slow network, until its name is said to arrive. ")
	}
	if slices.ContainsFunc(entries, func(x entry) bool { return strings.Contains(x.remark, "is under way as") }) {
		b.WriteString("A request that is under way was sent on a connection of its own, and what follows was sent without waiting for its answer. ")
	}
	fmt.Fprintf(b, "`%s` has every byte and the names as they were.\n\n", WireFile)
	shows := f.shows()
	for i := range entries {
		x := &entries[i]
		fmt.Fprintf(b, "%d. ", x.number)
		if x.note != "" {
			fmt.Fprintf(b, "*%s*\n", x.note)
			continue
		}
		fmt.Fprintf(b, "%s: `%s` → %s", x.who, x.text(), quoted(x.answer))
		if x.answeredAfter > 0 {
			fmt.Fprintf(b, ", which came after %d was sent", x.answeredAfter)
		}
		if x.remark != "" {
			fmt.Fprintf(b, " (*%s*)", x.remark)
		}
		if x.event == shows {
			b.WriteString(" **← here")
			if came := f.came(n); !strings.Contains(x.answer, came) {
				b.WriteString(": " + came)
			}
			b.WriteString("**")
		}
		b.WriteString("\n")
	}
}

func (f *Finding) writeAllowed(b *strings.Builder, n *names) {
	fmt.Fprintf(b, "\n## What was allowed\n\nGot %s.", quoted(f.came(n)))
	for i, a := range f.Violation.Allowed {
		by := ""
		if len(a.Rules) > 0 {
			by = ", by " + strings.Join(ruleIDs(a.Rules), ", ")
		}
		between := " Allowed was"
		if i > 0 {
			between = "; or"
		}
		fmt.Fprintf(b, "%s %s%s", between, quoted(f.outcome(n, a.Outcome)), by)
	}
	b.WriteString(".\n\n")
	f.writeRules(b)
}

// writeRules writes the rule that is most likely broken, and those that decided beside it.
func (f *Finding) writeRules(b *strings.Builder) {
	rules := f.Violation.Rules
	if len(rules) == 0 {
		return
	}
	info := rules[0].Info()
	fmt.Fprintf(b, "The rule most likely broken is **%s** (%s): %s.\n\nIts source: %s.%s\n", info.ID, info.Section, arrows(info.Statement), info.Source, holdsFor(info.Versions))
	defer writeWords(b, rules)
	if len(rules) == 1 {
		return
	}
	b.WriteString("\nOn the way to what was allowed these decide too:\n\n| rule | says | source | holds for |\n|---|---|---|---|\n")
	for _, r := range rules[1:] {
		info := r.Info()
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", info.ID, cell(arrows(info.Statement)), cell(info.Source), cell(holds(info.Versions)))
	}
}

func ruleIDs(rules []spec.Rule) []string {
	var out []string
	for _, r := range rules {
		out = append(out, r.String())
	}
	return out
}

// words are those that rules use without saying what they are.
var words = [...]struct {
	used *regexp.Regexp
	mean string
}{
	{regexp.MustCompile(`\be[+-]1\b|\b(at|of|keeps|id,) e\b`), "e is the producer's epoch"},
	{regexp.MustCompile(`\bTV[012]`), "TV2 is transaction.version 2, TV1 and TV0 are 1 and 0"},
	{regexp.MustCompile(`\bentry\b`), "an entry is what a partition's leader keeps of a producer id: its epoch and its last batches"},
	{regexp.MustCompile(`\bfence\b`), "a fence is the abort of a transaction that its coordinator decides, with a new epoch"},
	{regexp.MustCompile(`\bguard\b`), "a guard is what the leader keeps of a transaction that it asked the coordinator about"},
	{regexp.MustCompile(`\bpending\b`), "a transition is pending until its record is in the transaction log"},
	{regexp.MustCompile(`(Prepare|Complete)X\b`), "PrepareX stands for PrepareCommit and PrepareAbort, CompleteX likewise"},
}

// writeWords says what words of these rules mean.
func writeWords(b *strings.Builder, rules []spec.Rule) {
	var said []string
	for _, w := range words {
		if slices.ContainsFunc(rules, func(r spec.Rule) bool { return w.used.MatchString(r.Info().Statement) }) {
			said = append(said, w.mean)
		}
	}
	if len(said) > 0 {
		fmt.Fprintf(b, "\nIn the rules: %s.\n", strings.Join(said, "; "))
	}
}

// arrows writes a rule, "condition -> outcome", as people do.
func arrows(statement string) string { return strings.ReplaceAll(statement, "->", "→") }

// cell keeps a text inside its cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func (f *Finding) writeFiles(b *strings.Builder) {
	fmt.Fprintf(b, "\n## Files\n\n- `%s`: the same exchange as a trace in the Informal Trace Format (ITF JSON), which the command above plays\n"+
		"- `%s`: all that went over the wire, with whole frames in hexadecimal\n- `%s`: the scenario, line by line\n\nWritten by %s, which checks brokers against Kafka's exactly-once protocol.\n", TraceFile, WireFile, ScenarioFile, program())
}

// program is this program, with its version where it was built with one.
func program() string {
	const module = "github.com/onceproof/onceproof"
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != module || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return module
	}
	return module + " " + info.Main.Version
}
