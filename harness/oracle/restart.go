package oracle

import (
	"slices"

	"github.com/onceproof/onceproof/spec"
)

// restart is what a restart of the only broker does: requests and messages
// under way are gone, appends not acknowledged are in the log or not, each
// role has loaded what it keeps. The coordinator may load twice: once by the
// leadership that it had, and again when the cluster has noticed that its
// broker was gone. While partitions have no leader it drops markers (MARK-30).
func (b *belief) restart() error {
	if err := b.follow(b.nodes, goal{}); err != nil {
		return err
	}
	var after []*node
	for _, n := range b.all {
		for _, m := range b.crashed(n) {
			m.s.Inbox = m.s.Inbox[:0]
			b.sp.Take(&m.s, spec.Step{Kind: spec.RestartLeaders})
			m.s.Answers = m.s.Answers[:0]
			m.taken, m.why = nil, nil
			m.parts.updateAll(&m.s)
			after = append(after, m)
		}
	}
	b.reads, b.lost, b.refs, b.inUse = nil, nil, map[int][]uint8{}, [256]bool{}
	b.loadable = true // each start takes a new block of producer ids (INIT-07)
	b.leaderless = true
	defer func() { b.leaderless = false }()
	if err := b.follow(after, goal{}); err != nil {
		return err
	}
	again := slices.Clone(b.all)
	for _, n := range b.all {
		if n.unfinished() {
			again = append(again, b.crashed(n)...)
		}
	}
	if err := b.follow(again, goal{}); err != nil {
		return err
	}
	b.become(slices.DeleteFunc(slices.Clone(b.all), func(n *node) bool { return n.later }))
	return nil
}

// crashed are the states after a crash of the coordinator.
func (b *belief) crashed(n *node) []*node {
	var out []*node
	for _, st := range b.sp.Steps(nil, &n.s, spec.Kinds(spec.Crash, spec.CrashLosing)) {
		m := &node{}
		m.copyOf(n)
		m.ownAll()
		b.sp.Take(&m.s, st)
		m.parts.updateAll(&m.s)
		out = append(out, m)
	}
	if !n.s.Coordinator.Up {
		n.ownAll()
		out = append(out, n)
	}
	return out
}

// unfinished reports whether the coordinator is about to complete something.
func (n *node) unfinished() bool {
	return slices.ContainsFunc(n.s.Coordinator.Txns, func(t spec.Txn) bool { return t.Pending.Phase != spec.Idle })
}
