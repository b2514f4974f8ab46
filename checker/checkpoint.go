package checker

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"
)

// The files of a folder: a checkpoint, the frontier that it goes on from, and the states of each level.
const (
	checkpointPrefix = "checkpoint-"
	frontierPrefix   = "frontier-"
	statesPrefix     = "states-"
)

// ErrNoCheckpoint is the error of a search that is to go on from a folder without a checkpoint.
var ErrNoCheckpoint = errors.New("there is no checkpoint")

// checkpoints writes where a search stands into its folder.
type checkpoints struct {
	store  *store
	states []fileSum
	// level is the file of the states of the level being filled, nil before the first, and parent what its next link follows.
	level   *newFile
	parent  uint64
	err     error // the first of making it
	encoded []byte
	saved   time.Time
	// last is the checkpoint before the one being written, kept until that is complete.
	last, lastFrontier string
}

// begin enters the initial states, or goes on from a checkpoint.
func (s *search[S, A]) begin() error {
	o := &s.options
	if o.Exact && (o.WorkDir != "" || o.Resume || o.Memory != 0) {
		return errExactInFiles
	}
	if o.WorkDir == "" {
		if o.Resume {
			return errors.New("checker: expected the folder to resume from as WorkDir")
		}
		if o.Memory != 0 {
			return errors.New("checker: expected WorkDir, for what does not fit into Memory")
		}
		s.initialStates()
		return nil
	}
	if _, err := os.Stat(o.WorkDir); o.Resume && errors.Is(err, fs.ErrNotExist) {
		return noCheckpoint(o.WorkDir)
	}
	store, err := openStore(o.WorkDir, o.written)
	if err != nil {
		return err
	}
	store.goOn = s.goOn
	s.checkpoints = &checkpoints{store: store}
	if o.Memory == 0 {
		store.removeBounded() // of a search that was killed
	}
	if o.Resume {
		err := s.resume()
		if errors.Is(err, errInterrupted) {
			return fmt.Errorf("checker: interrupted while the checkpoint in %s was read, which is as it was: resume again", o.WorkDir)
		}
		return err
	}
	earlier, err := store.names(checkpointPrefix)
	if err != nil {
		return fmt.Errorf("checker: %w", err)
	}
	if len(earlier) > 0 {
		return fmt.Errorf("checker: %s holds the checkpoint of an earlier search: resume it, or name another folder, or remove this one", o.WorkDir)
	}
	if o.Memory != 0 {
		if err := s.bound(store); err != nil {
			return err
		}
	}
	s.initialStates()
	s.relieve()
	s.resolve()
	if s.failure.err != nil || s.links.count == 0 {
		return s.failure.err
	}
	return s.save(true)
}

// add writes a state of the level being filled.
func (c *checkpoints) add(depth int, fp uint64, k link) {
	if c.level == nil && !c.open(depth) {
		return
	}
	c.encoded, c.parent = appendLink(binary.LittleEndian.AppendUint64(c.encoded[:0], fp), c.parent, k)
	c.level.Write(c.encoded) // a Writer keeps its error
}

// open begins the file of a level.
func (c *checkpoints) open(depth int) bool {
	if c.err == nil {
		c.parent = 0
		c.level, c.err = c.store.create(fmt.Sprintf("%s%06d", statesPrefix, depth))
	}
	return c.err == nil
}

// close gives up the file of a level that is not whole, and what a search that was killed left of others.
func (c *checkpoints) close() {
	if c.level != nil {
		c.level.abandon()
	}
	for _, prefix := range [...]string{checkpointPrefix, frontierPrefix, statesPrefix} {
		c.store.removeUnfinished(prefix)
	}
	c.store.close()
}

// checkpoint saves where the search stands, if it is time.
func (s *search[S, A]) checkpoint() {
	if s.checkpoints == nil || s.ended() {
		return
	}
	if err := s.save(time.Since(s.checkpoints.saved) >= s.options.CheckpointEvery); err != nil {
		s.fail(err)
	}
}

// save ends the file of the states of the level just filled and, if wanted, writes a checkpoint.
func (s *search[S, A]) save(wanted bool) error {
	c := s.checkpoints
	number := fmt.Sprintf("%06d", s.depth)
	if c.level == nil && !c.open(s.depth) {
		return c.err
	}
	f, err := c.level.finish(s.next.states, nil)
	c.level = nil
	if err != nil {
		return err
	}
	c.states = append(c.states, f)
	if !wanted {
		return nil
	}
	m := s.manifest()
	m.Frontier, err = c.store.write(frontierPrefix+number, s.next.states, s.writeFrontier)
	switch {
	case errors.Is(err, errInterrupted):
		return nil // the checkpoint before it stays
	case err != nil:
		return err
	}
	if err := c.store.sync(); err != nil {
		return err
	}
	name := checkpointPrefix + number
	_, err = c.store.write(name, 0, func(w *bufio.Writer) error {
		_, err := w.Write(m.encode())
		return err
	})
	if err != nil {
		return err
	}
	if err := c.store.sync(); err != nil {
		return err
	}
	c.store.keepOnly(checkpointPrefix, func(n string) bool { return n == name || n == c.last })
	c.store.keepOnly(frontierPrefix, func(n string) bool { return n == m.Frontier.Name || n == c.lastFrontier })
	c.last, c.lastFrontier, c.saved = name, m.Frontier.Name, time.Now()
	return nil
}

// manifest says where the search stands, and which search it is.
func (s *search[S, A]) manifest() *manifest {
	m := &manifest{Model: identity(s.model), Depth: s.depth, Distinct: s.links.count, Elapsed: time.Since(s.started)}
	m.Properties = s.properties.names()
	m.Options = s.options.numbering()
	t := &s.total
	m.Tally = talliedSoFar{t.generated, t.actions, t.decisions, t.budgets, t.applied, t.first}
	m.States = s.checkpoints.states
	return m
}

// names are the kinds and names of the properties, in the order of their numbers.
func (p *Properties[S, A]) names() []string {
	names := []string{}
	for _, x := range p.Invariants {
		names = append(names, string(KindInvariant)+" "+x.Name)
	}
	for _, x := range p.Steps {
		names = append(names, string(KindStep)+" "+x.Name)
	}
	for _, x := range p.Witnesses {
		names = append(names, string(KindWitness)+" "+x.Name)
	}
	for _, x := range p.CanReach {
		names = append(names, string(KindCanReach)+" "+x.Name)
	}
	return names
}

// numbering are the options on which the numbers of states depend.
func (o *Options) numbering() []string {
	if o.Symmetry {
		return []string{"symmetry"}
	}
	return []string{}
}

func (s *search[S, A]) writeFrontier(w *bufio.Writer) error {
	next := s.next.walk()
	for range s.next.states {
		state := next()
		var b [binary.MaxVarintLen64]byte
		w.Write(b[:binary.PutUvarint(b[:], uint64(len(state)))]) // a Writer keeps its error
		if _, err := w.Write(state); err != nil {
			return err
		}
		if err := s.goOn(); err != nil {
			return err
		}
	}
	return nil
}

// goOn gives errInterrupted once the search is interrupted: a checkpoint being written is then given up for the one before it.
func (s *search[S, A]) goOn() error {
	if s.interrupted.Load() {
		return errInterrupted
	}
	return nil
}

func noCheckpoint(dir string) error {
	return fmt.Errorf("checker: %s: %w to go on from: begin a search with it as its folder (--workdir)", dir, ErrNoCheckpoint)
}

// resume goes on from the newest checkpoint that is whole.
func (s *search[S, A]) resume() error {
	c := s.checkpoints
	names, err := c.store.names(checkpointPrefix)
	if err != nil {
		return fmt.Errorf("checker: %w", err)
	}
	if len(names) == 0 {
		return noCheckpoint(s.options.WorkDir)
	}
	if s.options.Memory != 0 {
		if err := s.bound(c.store); err != nil {
			return err
		}
		s.bounded.restoring = true
	}
	slices.Reverse(names)
	var damaged error
	for _, name := range names {
		m, err := c.load(name)
		if errors.Is(err, errInterrupted) {
			return err
		}
		if err != nil {
			damaged = errors.Join(damaged, fmt.Errorf("checker: %s in %s cannot be used: %w", name, s.options.WorkDir, err))
			continue
		}
		if damaged != nil && s.options.Notice != nil {
			s.options.Notice(fmt.Sprintf("%v\nthe search goes on from the checkpoint before it, of level %d", damaged, m.Depth))
		}
		return s.restore(name, m)
	}
	return fmt.Errorf("%w\nno other checkpoint is left: remove the folder and begin anew", damaged)
}

// load reads a checkpoint and makes sure that its files are whole.
func (c *checkpoints) load(name string) (*manifest, error) {
	b, err := os.ReadFile(c.store.path(name))
	if err != nil {
		return nil, err
	}
	m, err := decodeManifest(b)
	if err != nil {
		return nil, err
	}
	for _, f := range append(slices.Clone(m.States), m.Frontier) {
		if err := c.store.verify(f); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// restore makes the search what it was at a checkpoint.
func (s *search[S, A]) restore(name string, m *manifest) error {
	o := &s.options
	if diff := m.differs(s.manifest()); diff != "" {
		return fmt.Errorf("checker: the checkpoint in %s is of another search: %s; give it the same, or name another folder", o.WorkDir, diff)
	}
	if o.MaxDepth != 0 && o.MaxDepth < m.Depth+1 || o.MaxStates != 0 && o.MaxStates <= m.Distinct {
		return fmt.Errorf("checker: the checkpoint in %s has %d levels and %d states, which is past MaxDepth or MaxStates: resume with more",
			o.WorkDir, m.Depth, m.Distinct)
	}
	c := s.checkpoints
	for _, f := range m.States {
		if err := c.store.read(f, func(r *bufio.Reader) error { return s.readStates(r, f.Count) }); err != nil {
			return fmt.Errorf("checker: %w", err)
		}
	}
	if b := s.bounded; b != nil {
		if b.active {
			s.spill()
		}
		b.restoring = false
	}
	if err := c.store.read(m.Frontier, func(r *bufio.Reader) error { return s.readFrontier(r, m.Frontier.Count) }); err != nil {
		return fmt.Errorf("checker: %w", err)
	}
	if err := errors.Join(s.failure.err, s.next.err); err != nil {
		return err
	}
	t := &m.Tally
	s.total = tally{t.Generated, t.Actions, t.Decisions, t.Budgets, t.Applied, t.First}
	s.depth, s.base = m.Depth, m.Distinct-m.Frontier.Count
	s.started = time.Now().Add(-m.Elapsed)
	c.states, c.saved = m.States, time.Now()
	c.last, c.lastFrontier = name, m.Frontier.Name
	return nil
}

func (s *search[S, A]) readStates(r *bufio.Reader, count uint64) error {
	var b [8]byte
	last := uint64(0)
	for range count {
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return err
		}
		k, parent, err := readLink(r, last)
		if err != nil {
			return err
		}
		last = parent
		if fp := binary.LittleEndian.Uint64(b[:]); fp == 0 || !s.visited.insert(fp, nil) {
			return fmt.Errorf("state %d is there twice", s.links.count)
		}
		s.links.append(k)
		if s.bounded != nil {
			s.bounded.cached++
			s.relieve()
		}
	}
	return nil
}

func (s *search[S, A]) readFrontier(r *bufio.Reader, count uint64) error {
	var state []byte
	for range count {
		n, err := binary.ReadUvarint(r)
		if err != nil {
			return err
		}
		if n > 1<<30 {
			return fmt.Errorf("a state of %d bytes", n)
		}
		state = slices.Grow(state[:0], int(n))[:n]
		if _, err := io.ReadFull(r, state); err != nil {
			return err
		}
		s.next.append(state)
	}
	return nil
}
