package checker

import (
	"fmt"
	"io"
	"strings"
)

// SequenceDiagram is a diagram of who sent what to whom, in Mermaid's language, which issue trackers draw. Participants
// stand in the order in which they are first named. Any text may be given.
type SequenceDiagram struct {
	ids   map[string]string
	order []string
	lines []string
}

// Participant makes a place for an actor, unless it has one.
func (d *SequenceDiagram) Participant(actor string) string {
	id, ok := d.ids[actor]
	if !ok {
		if d.ids == nil {
			d.ids = make(map[string]string)
		}
		id = fmt.Sprintf("p%d", len(d.order))
		d.ids[actor] = id
		d.order = append(d.order, actor)
	}
	return id
}

// Arrow is a message from one actor to another.
func (d *SequenceDiagram) Arrow(from, to, text string) { d.line(d.Participant(from), "->>", to, text) }

// Answer is a message back, drawn as a broken line.
func (d *SequenceDiagram) Answer(from, to, text string) {
	d.line(d.Participant(from), "-->>", to, text)
}

// Lost is a message that does not arrive, drawn with a cross at its end.
func (d *SequenceDiagram) Lost(from, to, text string) { d.line(d.Participant(from), "--x", to, text) }

func (d *SequenceDiagram) line(from, arrow, to, text string) {
	d.lines = append(d.lines, from+arrow+d.Participant(to)+": "+Mermaid(broken(text)))
}

// Note is a text at an actor.
func (d *SequenceDiagram) Note(actor, text string) {
	d.lines = append(d.lines, fmt.Sprintf("Note over %s: %s", d.Participant(actor), Mermaid(broken(text))))
}

// NoteAcross is a text across all actors from one to another.
func (d *SequenceDiagram) NoteAcross(first, last, text string) {
	d.lines = append(d.lines, fmt.Sprintf("Note over %s,%s: %s", d.Participant(first), d.Participant(last), Mermaid(broken(text))))
}

// widest is how many characters a line of a text has at most, where it can be broken: Mermaid makes a diagram as wide as its
// longest line.
const widest = 60

// broken breaks the lines of a text that are too long, between words.
func broken(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		length := 0
		for j, word := range strings.Split(line, " ") {
			n := len([]rune(word))
			switch {
			case j > 0 && length+1+n > widest:
				b.WriteByte('\n')
				length = 0
			case j > 0:
				b.WriteByte(' ')
				length++
			}
			b.WriteString(word)
			length += n
		}
	}
	return b.String()
}

// String is the diagram, as it stands in a block of code with the language mermaid.
func (d *SequenceDiagram) String() string {
	var b strings.Builder
	b.WriteString("sequenceDiagram\n")
	for _, actor := range d.order {
		fmt.Fprintf(&b, "    participant %s as %s\n", d.ids[actor], Mermaid(actor))
	}
	for _, l := range d.lines {
		fmt.Fprintf(&b, "    %s\n", l)
	}
	return b.String()
}

// Mermaid writes a text so that Mermaid shows it as it is. A semicolon ends a statement, # begins a character by its
// number, %% a comment, %%{ an order to the program; < begins HTML, $$ a formula. Lines are broken where the text is.
func Mermaid(text string) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == '\n':
			b.WriteString("<br/>")
		case strings.ContainsRune(`;#%<>&"\{}$`+"`", r), r < ' ', r == 0x7f, r == ' ' && i == 0, r == ':' && special(text, i):
			fmt.Fprintf(&b, "#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	if b.Len() == 0 {
		return "#32;" // a message has to have a text
	}
	return b.String()
}

// special says whether a colon means something: "style:x#59;" would lose its semicolon, "wrap:" its first word.
func special(text string, colon int) bool {
	return !strings.HasPrefix(text[colon+1:], " ") || strings.HasSuffix(text[:colon], "wrap")
}

// WriteMermaid writes the trace as a diagram in Mermaid's language: an arrow for a message that is received, a note for
// any other step, and a note with the rules and what changed for a step that rules decided.
func (t *Trace[A]) WriteMermaid(w io.Writer) error {
	_, err := io.WriteString(w, t.Diagram().String())
	return err
}

// Diagram is the trace as a diagram.
func (t *Trace[A]) Diagram() *SequenceDiagram {
	d := &SequenceDiagram{}
	for _, f := range t.State {
		d.Participant(f.Actor)
	}
	for i := range t.Steps {
		s := &t.Steps[i]
		actor := s.Actor
		if actor == "" {
			actor = t.Model.Name
		}
		switch text := strings.TrimPrefix(s.Text, "receives "); {
		case s.From != "":
			d.Arrow(s.From, actor, fmt.Sprintf("%d. %s", s.Number, text))
		default:
			d.Note(actor, fmt.Sprintf("%d. %s", s.Number, s.Text))
		}
		if len(s.Decisions) > 0 {
			d.Note(actor, ruled(s))
		}
	}
	if t.Property != "" && len(d.order) > 0 {
		d.NoteAcross(d.order[0], d.order[len(d.order)-1], t.Property+" falls")
	}
	return d
}

// ruled says which rules made a step what it is, and what it changed.
func ruled[A any](s *Step[A]) string {
	var rules []string
	for _, x := range s.Decisions {
		if x.Outcome == "" {
			rules = append(rules, x.Rule)
		} else {
			rules = append(rules, x.Rule+" "+x.Outcome)
		}
	}
	text := strings.Join(rules, ", ")
	for _, c := range s.Changes {
		text += "\n"
		if c.Actor != s.Actor {
			text += c.Actor + ": "
		}
		text += c.String()
	}
	return text
}
