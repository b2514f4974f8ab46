package steps

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"

	"github.com/cucumber/godog"
	messages "github.com/cucumber/messages/go/v34"
)

// Stepper takes the lines that [World.Register] makes known: godog's ScenarioContext, or a player of lines without godog.
type Stepper interface {
	Step(expr, stepFunc any)
}

// line is one way to write a line, and what does it.
type line struct {
	expr *regexp.Regexp
	do   reflect.Value
}

// lines is a [Stepper] that keeps what it is told.
type lines []line

// Step keeps a line. What Register tells is right or every scenario fails, so a wrong expression panics as in godog.
func (l *lines) Step(expr, stepFunc any) {
	*l = append(*l, line{regexp.MustCompile(expr.(string)), reflect.ValueOf(stepFunc)})
}

// ErrUnknownLine is in the chain of an error that says that no line is written like that.
var ErrUnknownLine = errors.New("no such line")

// Play does one line as godog would. Rows are those of the line's table, the heading first; nil is none. The error is a
// *[Violation], an *[Unjudged], an *[Over], or one of the line itself.
func (w *World) Play(ctx context.Context, text string, rows [][]string) error {
	if w.lines == nil {
		w.Register(&w.lines)
	}
	w.BeginLine()
	for _, l := range w.lines {
		m := l.expr.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		args, err := l.arguments(ctx, m[1:], rows)
		if err != nil {
			return fmt.Errorf("line %q: %w", text, err)
		}
		if err, _ := l.do.Call(args)[0].Interface().(error); err != nil {
			return err
		}
		return nil
	}
	return fmt.Errorf("line %q: %w", text, ErrUnknownLine)
}

// arguments are those of the function behind a line: perhaps a context, the parts of the text, perhaps a table.
func (l *line) arguments(ctx context.Context, parts []string, rows [][]string) ([]reflect.Value, error) {
	var args []reflect.Value
	t := l.do.Type()
	for i := range t.NumIn() {
		in := t.In(i)
		switch {
		case i == 0 && in == reflect.TypeFor[context.Context]():
			args = append(args, reflect.ValueOf(ctx))
		case in == reflect.TypeFor[*godog.Table]():
			if rows == nil {
				return nil, errors.New("expected a table, got none")
			}
			args = append(args, reflect.ValueOf(tableOf(rows)))
		case len(parts) == 0:
			return nil, fmt.Errorf("expected %d parts in the line, got fewer", t.NumIn())
		default:
			arg := reflect.New(in).Elem()
			if err := setFrom(arg, parts[0]); err != nil {
				return nil, err
			}
			args, parts = append(args, arg), parts[1:]
		}
	}
	return args, nil
}

// setFrom reads a part of a line into an argument.
func setFrom(arg reflect.Value, text string) error {
	if arg.Kind() == reflect.String {
		arg.SetString(text)
		return nil
	}
	n, err := strconv.ParseInt(text, 10, arg.Type().Bits())
	if err != nil {
		return fmt.Errorf("expected a number of %d bits, got %q", arg.Type().Bits(), text)
	}
	arg.SetInt(n)
	return nil
}

func tableOf(rows [][]string) *godog.Table {
	t := &godog.Table{}
	for _, row := range rows {
		r := &messages.PickleTableRow{}
		for _, cell := range row {
			r.Cells = append(r.Cells, &messages.PickleTableCell{Value: cell})
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}
