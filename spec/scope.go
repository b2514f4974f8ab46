package spec

// Scope says, in a few words, why the checker's closed model takes no step that r decides: the rule is out of the model's
// scope, or needs what no model client does, or follows from other rules. It is "" for a rule that the model is to reach.
// A test holds it to what the whole check has recorded.
func (r Rule) Scope() string {
	for _, s := range scopes {
		for _, out := range s.rules {
			if out == r {
				return s.reason
			}
		}
	}
	return ""
}

// scopes are the reasons, each with its rules.
var scopes = [...]struct {
	reason string
	rules  []Rule
}{
	{"authorization is not modelled",
		[]Rule{IDEM01, IDEM02, INIT01, INIT02, COORD02, ADD01, MARK01}},
	{"topics that do not exist, or are deleted, are not modelled",
		[]Rule{IDEM03, ADD03, MARK03, MARK30}},
	{"what a record batch is made of, its format and its timestamps are not modelled",
		[]Rule{IDEM04, IDEM10, IDEM12, IDEM18, IDEM48, MARK35}},
	{"offsets in transactions and groups are not modelled yet",
		[]Rule{IDEM20, IDEM29, ADD12, MARK05, TOC01, TOC02, TOC03, TOC04, TOC05, TOC06, TOC07, TOC08, TOC09, TOC10, TOC11, TOC12,
			TOC13, TOC14, TOC15, TOC16, TOC17, TOC18, TOC19, TOC20, FO15}},
	{"replication and elections are not modelled: there is one broker",
		[]Rule{IDEM09, IDEM19, COORD04, COORD06, COORD07, COORD08, MARK04, MARK19, VER08, LSO03, LSO05, READ13, FO01, FO02, FO03,
			FO04, FO05, FO06, FO07, FO08, FO09, FO17, FO18, FO19}},
	{"a coordinator that was replaced and does not know it is not modelled: there is one",
		[]Rule{END31, FO13, FO16}},
	{"an append that fails while the coordinator goes on is not modelled: it is acknowledged, or lost in a crash",
		[]Rule{COORD10, COORD12, END06, MARK38, SM08}},
	{"epochs at their end are not modelled, nor is the change of producer id that follows",
		[]Rule{INIT22, INIT24, INIT30, INIT36, ADD09, END21, END22, MARK09, SM04}},
	{"there is no clock: expiry, retention and compaction are not modelled",
		[]Rule{IDEM37, IDEM38, IDEM39, TMO01, TMO07, TMO08, TMO10, LSO04, READ17, FO14}},
	{"two-phase commit by an outer coordinator is in no release, or not stable there",
		[]Rule{INIT10, INIT11, TMO03, ADM09}},
	{"it is of releases before 4.4, of which only what a switch stands for is modelled",
		[]Rule{IDEM31, IDEM36, VER07}},
	{"a release without KAFKA-19446 does what MARK-06 says: the trace of that switch names MARK-06",
		[]Rule{MARK10}},
	{"no model client sends such a request",
		[]Rule{IDEM05, IDEM07, IDEM08, IDEM11, IDEM14, IDEM22, IDEM44, IDEM45, IDEM47, IDEM49, INIT03, INIT06, INIT08, COORD01,
			ADD02, END01, MARK02, MARK20}},
	{"no model client uses an old version of the request: it changes only how the answer is written",
		[]Rule{INIT04, END03}},
	{"no model client mixes the styles of TV1 and TV2, or meets a cluster at a lower level than its own",
		[]Rule{ADD28, END26, END27, MARK41}},
	{"an administrator's requests are not modelled",
		[]Rule{ADM01, ADM02, ADM03, ADM04, ADM05, ADM06, ADM07, ADM08}},
	{"sequences are numbered from 0 and do not reach the wrap",
		[]Rule{IDEM27}},
	{"one request of a model client has one batch for one partition",
		[]Rule{IDEM06, IDEM46}},
	{"the allocator always has an id at hand",
		[]Rule{INIT07}},
	{"there is one transactional id, and a leader asks for each batch by itself",
		[]Rule{COORD03, ADD22, MARK42}},
	{"verification is switched off by KAFKA-14402 alone, not by configuration",
		[]Rule{ADD26, VER10}},
	{"the test for a transition in progress comes first: nothing gets as far while one is",
		[]Rule{INIT23, END28}},
	{"nothing comes between the acknowledgement and what follows it: they are one step",
		[]Rule{END05}},
	{"the state can't be stored, or the transition can't be asked for",
		[]Rule{INIT37, SM02, SM03}},
	{"with every fix on no leader refuses a marker that is waited for, and the search for the property that falls without one ends before",
		[]Rule{MARK34}},
	{"an answer that nobody waits for any more is not sent: a crash, or a marker sent again, forgets the one before",
		[]Rule{MARK37}},
	{"a leader gives no other answer, and gives it once",
		[]Rule{MARK36, MARK43}},
	{"the marker of a transaction is in the log before a batch of a higher epoch: only a lost one makes the difference",
		[]Rule{IDEM26}},
	{"it says in which order other rules are tested, or what follows from them; no step is decided by it alone",
		[]Rule{IDEM13, END12, MARK18, VER05, VER09, SM05, SM06, SM07, SM09, LSO01, LSO02, LSO06,
			LSO07}},
	{"reading is no step of the model: the properties state what a consumer sees (NoAbortedRead, AtomicVisibility, LSOCorrect)",
		[]Rule{READ01, READ02, READ03, READ04, READ05, READ07, READ08, READ09, READ10, READ11, READ12, READ14, READ15, READ16}},
	{"it is about the client's library",
		[]Rule{TMO09}},
}
