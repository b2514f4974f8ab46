package bundle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/onceproof/onceproof/checker"
)

// diagram is the exchange as a sequence diagram of Mermaid.
func (f *Finding) diagram(n *names, entries []entry) string {
	d := &checker.SequenceDiagram{}
	for i := range entries {
		if entries[i].who != "" {
			d.Participant(entries[i].who)
		}
	}
	const server = "broker"
	d.Participant(server)
	shows := f.shows()
	for i := range entries {
		x := &entries[i]
		if x.note != "" {
			d.Note(server, fmt.Sprintf("%d. %s", x.number, x.note))
		} else {
			d.Arrow(x.who, server, fmt.Sprintf("%d. %s", x.number, x.text()))
		}
		for j := range i + 1 {
			if y := &entries[j]; y.note == "" && max(y.number, y.answeredAfter) == x.number {
				f.drawAnswer(d, server, y)
			}
		}
		if x.event == shows && shows >= 0 {
			text := "allowed: " + f.allowed(n)
			if came := f.came(n); !strings.Contains(x.answer, came) {
				text = "got " + came + "\n" + text
			}
			d.Note(server, text)
		}
	}
	if shows < 0 {
		d.Note(server, fmt.Sprintf("got %s\nallowed: %s", f.came(n), f.allowed(n)))
	}
	return d.String()
}

func (f *Finding) drawAnswer(d *checker.SequenceDiagram, server string, x *entry) {
	text := x.answer
	if x.answeredAfter > 0 {
		text = fmt.Sprintf("%s (to %d)", text, x.number)
	}
	if slices.Contains([]string{noAnswer, notDue, notRead}, x.answer) {
		d.Lost(server, x.who, text)
		return
	}
	d.Answer(server, x.who, text)
}
