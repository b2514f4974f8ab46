package bundle

import (
	"regexp"
	"slices"
	"strings"

	"github.com/onceproof/onceproof/harness/steps"
	"github.com/onceproof/onceproof/spec"
)

// shape is in what way an answer is wrong.
type shape uint8

const (
	differs   shape = iota // what is shown is something else: contents of a log, a state
	accepted               // done, and has to be refused
	early                  // done, and the client has to be told to try again
	refused                // refused, and has to be done
	otherCode              // refused, with another code
	field                  // the code is right, something beside it is not
	silent                 // there is no answer, or nothing in it
	numShapes
)

// code finds the codes of Kafka in a text: they are the only words in capitals with an underscore, but for NONE.
var code = regexp.MustCompile(`\b(NONE|[A-Z]+_[A-Z_]+)\b`)

// shapeOf compares what came with what was allowed.
func shapeOf(v *steps.Violation) shape {
	if v.Came == "" || strings.HasPrefix(v.Came, "no answer") {
		return silent
	}
	if strings.HasPrefix(v.Came, "expected ") { // the answer is malformed
		return field
	}
	came := code.FindString(v.Came)
	var allowed []string
	for _, a := range v.Allowed {
		if c := code.FindString(a.Outcome); c != "" {
			allowed = append(allowed, c)
		}
	}
	switch {
	case came == "" || len(allowed) == 0:
		return differs
	case slices.Contains(allowed, came):
		return field
	case came == "NONE":
		if !slices.ContainsFunc(allowed, func(c string) bool { return c != spec.ConcurrentTransactions.Name() }) {
			return early
		}
		return accepted
	case slices.Contains(allowed, "NONE"):
		return refused
	}
	return otherCode
}

// harm says who is hurt when one of some rules is broken, and how: only what follows from the rule.
type harm struct {
	rules string // ids and families, separated by spaces; an id goes before its family
	of    [numShapes]string
}

// harms is read-only. What a rule has no sentence for is in anyRule.
var harms = [...]harm{
	{"IDEM-15 IDEM-16 IDEM-17 IDEM-18 IDEM-19 IDEM-20 IDEM-21 IDEM-22 IDEM-27", [numShapes]string{
		accepted: "A batch that a producer sends again because it missed the answer can be stored twice: every consumer of the partition reads duplicates.",
		differs:  "A batch that a producer sends again because it missed the answer can be stored twice: every consumer of the partition reads duplicates.",
		refused:  "A producer that only repeats a batch whose answer it missed is told that it failed: its application takes records for lost that are stored.",
		field:    "A producer that repeats a batch is told something wrong about the stored one: an application that uses that field is misled. No record is lost or doubled by that alone.",
	}},
	{"IDEM-23 IDEM-25 IDEM-28 IDEM-30 IDEM-31 IDEM-32 IDEM-33 IDEM-34 IDEM-35 IDEM-36 IDEM-40 VER-09", [numShapes]string{
		accepted: "A batch is stored though the one before it is missing: consumers of the partition can miss records, or read them out of order, and no producer is told.",
		differs:  "The broker numbers a producer's batches in another way than the producer does: batches can be taken for missing, or missing ones not be noticed.",
		refused:  "A producer that numbers its batches as it has to is refused: its records are not stored, and its application gets an error that it did not cause.",
	}},
	{"IDEM-24 IDEM-26 IDEM-42 IDEM-49 ADD-22 ADD-23 ADD-27", [numShapes]string{
		accepted: "A producer with an epoch that is not the current one writes all the same: records of an instance that was fenced can land in the transaction of the one that replaced it, and be committed with it.",
		refused:  "The producer that owns the id is treated as if it were fenced: it can't write any more.",
	}},
	{"IDEM-05 IDEM-06 IDEM-41 IDEM-43 IDEM-44 IDEM-47 ADD-10 ADD-11 ADD-20 ADD-21 ADD-24 ADD-25 ADD-26 ADD-29 VER", [numShapes]string{
		accepted: "A batch is stored that is in no transaction its coordinator knows of: it can hold up every read_committed consumer of the partition until a person ends it, or be committed with another transaction.",
		differs:  "Leader and coordinator disagree on what is in the transaction: a batch can be left undecided, which holds up every read_committed consumer of the partition, or be decided with another transaction.",
		refused:  "A batch of the transaction that is open is refused: its producer has to abort what it could have committed.",
	}},
	{"IDEM-45", [numShapes]string{
		differs: "What a producer writes outside a transaction is not treated as Apache Kafka does: it can be taken for a part of a transaction, and be withheld from readers or be missing.",
		refused: "A batch outside any transaction is refused: it is not stored, and its application gets an error that Apache Kafka does not give.",
	}},
	{"ADD-04 ADD-05 ADD-06 ADD-07 ADD-08 ADD-09 ADD-28", [numShapes]string{
		accepted: "A client that the id does not belong to changes its transaction: it can open one that nobody ends, which holds up read_committed consumers, or have its own records committed with another's.",
		refused:  "The producer that owns the id can't add a partition: it has to abort what it could have committed.",
	}},
	{"ADD-12 TOC MARK-05 FO-15", [numShapes]string{
		accepted: "Offsets are committed for a consumer group by a client that must not: the group can skip records, or process them twice.",
		differs:  "The offsets of a consumer group are not those that its transaction committed: the group can skip records, or process them twice.",
	}},
	{"INIT-21 INIT-22 INIT-23 INIT-24 INIT-25 INIT-26 INIT-27 INIT-28 INIT-29 INIT-30 INIT-31 INIT-32 INIT-33 INIT-34 INIT-35 INIT-36 INIT-40 INIT-41 SM-04 SM-05",
		[numShapes]string{
			accepted: "An instance that was replaced is given an identity again: it can write beside the one that replaced it, under the same transactional id.",
			refused:  "The instance that owns the transactional id is treated as if it were fenced, or is given no identity: its application can't start, or stops.",
			differs:  "The identity behind the transactional id is not the one that the protocol gives: late requests can be taken for current ones, or current ones be refused.",
			field:    "The producer is given another identity than the protocol gives: late requests can be taken for current ones, or its next ones be refused.",
		}},
	{"INIT-05 INIT-07 INIT-20", [numShapes]string{
		differs: "Two producers can be given the same identity: what one of them writes can be taken for a repetition by the other, and be lost.",
		field:   "Two producers can be given the same identity: what one of them writes can be taken for a repetition by the other, and be lost.",
	}},
	{"INIT-39 TMO", [numShapes]string{
		accepted: "A producer whose transaction was timed out is not told: it goes on as if it could still commit.",
		differs:  "A transaction is given another time than its producer asked for: it is aborted under a producer that is alive, or, if that is gone, holds up read_committed consumers for longer.",
		refused:  "A producer whose transaction was timed out can't go on where it could: its application stops.",
	}},
	{"END SM-06 SM-07 SM-08 SM-09", [numShapes]string{
		accepted: "A client is told that a transaction is committed or aborted by a request that must not decide it: its application, or that of the transaction's owner, takes for decided what is not, or finds its own transaction ended.",
		differs:  "A transaction is not in the state that its client was told, or asked for: records that were to be aborted can be shown, or committed ones be missing.",
		refused:  "A client whose commit or abort counts is told that it does not: its application can't tell whether its records will be seen, and may write them once more.",
		field:    "The client is told another identity to go on with than the protocol gives: late requests can be taken for current ones, or its next ones be refused.",
	}},
	{"MARK-40 MARK-41", [numShapes]string{
		differs: "The marker does not carry what the coordinator has to send: the partition then tests what follows by something else, so that a late batch or marker of the ended transaction can pass for one of the next, or the next one's be refused.",
	}},
	{"MARK-13 MARK-17", [numShapes]string{
		differs: "The partition does not remember of the ended transaction what later requests are tested by: late batches or markers can pass for those of the next transaction, or the right ones be refused.",
	}},
	{"MARK-01 MARK-02 MARK-03 MARK-20", [numShapes]string{
		accepted: "A marker is written that makes no sense, or that its sender has no right to send.",
		differs:  "What a marker is said to have done is not what it did.",
	}},
	{"END-01", [numShapes]string{
		accepted: "A request is carried out that names no transaction, or one that its client has no right to end.",
	}},
	{"MARK-30 MARK-31 MARK-32 MARK-33 MARK-34 MARK-35 MARK-36 MARK-37 MARK-38 MARK-39 MARK-42 MARK-43", [numShapes]string{
		differs: "A transaction that is decided is not completed as it has to be: read_committed consumers can wait for it on some partition, and its producer with CONCURRENT_TRANSACTIONS.",
	}},
	{"MARK ADM-05 ADM-06 FO-10", [numShapes]string{
		accepted: "A marker that must be refused is written: a transaction that is open then ends without its producer having asked, and aborted records can be shown, or committed ones be hidden.",
		differs:  "A transaction ends on a partition in another way than its coordinator decided: aborted records can be shown, or committed ones be hidden.",
		refused:  "A marker that has to be written is refused: the transaction stays open on that partition and holds up every read_committed consumer of it.",
	}},
	{"LSO", [numShapes]string{
		differs: "read_committed consumers are let read to the wrong offset: too far shows them records that are not decided, too short holds back committed ones.",
	}},
	{"READ", [numShapes]string{
		differs: "What a consumer is told to leave out, or is shown, is not what was decided: with read_committed it can show aborted records, or withhold committed ones.",
	}},
	{"ADM", [numShapes]string{
		differs: "An operator, or a tool that looks for hanging transactions, is shown a state that the transaction is not in, and may end one that is well or leave one that hangs.",
	}},
	{"COORD SM", [numShapes]string{
		accepted: "A request is carried out while a change of the same transaction is still under way: what was acknowledged before can be lost or mixed with it.",
		differs:  "A transaction is in a state that its coordinator must not bring it into: what it told its clients need not hold.",
	}},
	{"FO", [numShapes]string{
		accepted: "After a restart the broker takes what it has to refuse: batches can be stored twice, or those of a fenced producer be taken.",
		differs:  "After a restart the broker does not know what it had acknowledged: transactions can stay undecided, or batches be stored twice.",
		refused:  "After a restart the broker refuses a producer that did nothing wrong: its application stops.",
	}},
}

// anyRule is what follows from the shape alone.
var anyRule = [numShapes]string{
	differs:   "Who relies on what the broker shows here is misled.",
	accepted:  "A request that has to be refused is carried out: the client's mistake stays unnoticed, and takes effect.",
	early:     "A client that has to wait until the transaction before is complete goes on at once. If that one is complete by then nobody is hurt; if it is not, the two can mix.",
	refused:   "A client that kept to the protocol is refused: what it asked for is not done, and its application gets an error that it did not cause.",
	otherCode: "The client is told another reason than the true one, and acts by that: it can give up where trying again would help, or try again where nothing can.",
	field:     "The code is right and a field beside it is not: who uses that field is misled. By that alone no record is lost, doubled or shown wrongly.",
	silent:    "Who sent the request hears nothing about what it asked for, and can't know whether it was done.",
}

// shown, read only, are things that are shown of which more can be said than by the rule.
var shown = [...]struct{ came, harm string }{
	{"aborted list null true", "A read_committed consumer is told that there is no list of aborted transactions (null), where it has to be told one, if an empty one: a client that does not expect null can fail. By that alone no record is shown wrongly."},
	{"aborted list null false", "A read_uncommitted consumer is told a list of aborted transactions, where it has to be told that there is none (null): a client that does not expect a list can fail. By that alone no record is shown wrongly."},
	{"coordinator epoch of producer ", "The partition shows, and may go by, another coordinator epoch than that of the last marker that it took (-1 if there was none): the marker of a coordinator that was replaced can pass, or that of the right one, or of a repair tool, be refused."},
}

// Harm says, in a sentence or two, who is hurt by a violation.
func Harm(v *steps.Violation) string {
	s := shapeOf(v)
	for i := range shown {
		if strings.HasPrefix(v.Came, shown[i].came) {
			return shown[i].harm
		}
	}
	if s == field && len(v.Allowed) > 0 && code.FindString(v.Allowed[0].Outcome) != "NONE" {
		return anyRule[field] // an answer that refuses gives no identity, wherever it was refused
	}
	if len(v.Rules) == 0 {
		return anyRule[s]
	}
	return harmOf(v.Rules[0], s)
}

func harmOf(r spec.Rule, s shape) string {
	id := r.String()
	family, _, _ := strings.Cut(id, "-")
	for _, name := range []string{id, family} {
		for i := range harms {
			if slices.Contains(strings.Fields(harms[i].rules), name) && harms[i].of[s] != "" {
				return harms[i].of[s]
			}
		}
	}
	return anyRule[s]
}
