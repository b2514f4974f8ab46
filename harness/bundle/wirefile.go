package bundle

import (
	"encoding/hex"
	"strings"
	"time"

	"github.com/onceproof/onceproof/harness/mapping"
	"github.com/onceproof/onceproof/harness/steps"
)

// wireFile is all that went over the wire, setting up included.
type wireFile struct {
	Broker             string      `json:"broker"`
	TransactionVersion int16       `json:"transaction_version"`
	Release            string      `json:"judged_by_release"`
	Strict             bool        `json:"strict"`
	Known              string      `json:"known_because,omitempty"`
	Sent               string      `json:"sent"`
	Came               string      `json:"came"`
	Allowed            []wireAllow `json:"allowed"`
	Rules              []wireRule  `json:"rules"`
	// Exchange is the index in Events at which it showed, -1 if at none.
	Exchange int         `json:"exchange"`
	Events   []wireEvent `json:"events"`
}

type wireAllow struct {
	Outcome string   `json:"outcome"`
	Rules   []string `json:"rules"`
}

type wireRule struct {
	ID        string `json:"id"`
	Statement string `json:"statement"`
	Source    string `json:"source"`
	Versions  string `json:"versions"`
}

// wireEvent is one exchange, or one thing that was done; bytes are whole frames.
type wireEvent struct {
	At          time.Time  `json:"at"`
	Line        int        `json:"line"`
	Connection  uint16     `json:"connection"`
	Actor       string     `json:"actor,omitempty"`
	Setup       bool       `json:"setup,omitempty"`
	Note        string     `json:"note,omitempty"`
	Request     string     `json:"request,omitempty"`
	Answer      string     `json:"answer,omitempty"`
	Received    *time.Time `json:"received,omitempty"`
	RequestHex  string     `json:"request_hex,omitempty"`
	ResponseHex string     `json:"response_hex,omitempty"`
}

func (f *Finding) wire() *wireFile {
	v := f.Violation
	out := &wireFile{
		Broker: f.Broker, TransactionVersion: f.TransactionVersion, Release: f.Release, Strict: f.Strict, Known: f.Known,
		Sent: v.Sent, Came: v.Came, Allowed: []wireAllow{}, Rules: []wireRule{}, Exchange: f.shows(), Events: []wireEvent{},
	}
	for _, a := range v.Allowed {
		out.Allowed = append(out.Allowed, wireAllow{a.Outcome, append([]string{}, ruleIDs(a.Rules)...)})
	}
	for _, r := range v.Rules {
		info := r.Info()
		out.Rules = append(out.Rules, wireRule{info.ID, info.Statement, info.Source, info.Versions})
	}
	for i := range f.History {
		out.Events = append(out.Events, newWireEvent(&f.History[i]))
	}
	return out
}

func newWireEvent(e *steps.Event) wireEvent {
	out := wireEvent{At: e.At, Line: e.Line, Connection: e.Conn, Actor: e.Actor, Setup: e.Setup, Note: e.Note}
	x := e.Exchange
	if x == nil {
		return out
	}
	out.Request = mapping.Describe(x.Request)
	out.RequestHex, out.ResponseHex = hex.EncodeToString(x.RequestFrame()), hex.EncodeToString(x.ResponseFrame())
	if x.Response != nil {
		out.Answer = strings.TrimSpace(steps.RenderResponse(x.Response))
	}
	if !x.Received.IsZero() {
		out.Received = &x.Received
	}
	return out
}
