package checker

// A round of several workers expands so many chunks, or fewer where states are long: what they give is to take so many bytes.
const (
	roundBatches = 128
	roundBytes   = 32 << 20
)

// expandLevel fills the next level. It reports whether the search was cut off by its bound on states, after how many chunks.
//
// Several workers expand chunks by rounds. What a round gave is entered into the visited set by all of them, each the shards that
// are its own; while they expand the next round the first of them gives numbers to what was new, and shards that are nearly full
// grow.
func (s *search[S, A]) expandLevel() (expanded int, cut bool) {
	chunks := s.level.chunks()
	if len(s.workers) == 1 || chunks == 1 {
		return s.expandAlone()
	}
	now, before := &round{batches: s.batches[:roundBatches]}, &round{batches: s.batches[roundBatches:]}
	for first := 0; first < chunks || now.size > 0; first += now.size {
		now, before = before, now
		now.first, now.size = first, min(s.roundSize, chunks-first)
		due := s.visited.due(len(s.workers))
		s.parallel(len(due)+now.size, func() {
			cut = s.mergeRound(before)
		}, func(w *worker[S, A], task int) {
			if task < len(due) {
				due[task].grow()
				return
			}
			task -= len(due)
			w.expand(first+task, now.batches[task])
		})
		if cut || s.failure.err != nil || s.interrupted.Load() {
			return first + now.size, cut
		}
		s.relieve()
		s.parallel(len(s.workers), nil, func(_ *worker[S, A], share int) {
			for _, b := range now.batches[:now.size] {
				b.enter(s.visited, share)
			}
		})
		s.fitRounds(now.takes())
	}
	return chunks, false
}

// round are batches that are filled, entered and merged together: those of as many chunks, from one on.
type round struct {
	batches     []*batch
	first, size int
}

// takes is about how many bytes of memory the largest batch takes.
func (r *round) takes() (most int) {
	for _, b := range r.batches[:r.size] {
		most = max(most, b.takes())
	}
	return most
}

// mergeRound gives what is new in a round its numbers. It reports whether the search is cut off.
func (s *search[S, A]) mergeRound(r *round) (cut bool) {
	for i, b := range r.batches[:r.size] {
		s.mergeEntered(b)
		if s.full() {
			return s.remains(r.first + i)
		}
	}
	s.level.release(r.first + r.size)
	s.lookAtMemory()
	s.reportSometimes()
	return false
}

// fitRounds has the next round take the memory that one may, by what a chunk took. There are chunks enough for all workers, unless
// that would break a bound on memory.
func (s *search[S, A]) fitRounds(taken int) {
	least, room := 2*len(s.workers), roundBytes
	if s.options.Memory != 0 {
		least, room = 2, min(room, int(s.options.Memory/16))
	}
	if taken > 0 {
		s.roundSize = min(roundBatches, max(least, room/taken))
	}
}

// expandAlone is expandLevel with one worker, which merges each chunk at once.
func (s *search[S, A]) expandAlone() (expanded int, cut bool) {
	w := s.workers[0]
	for c := range s.level.chunks() {
		if s.interrupted.Load() {
			return c, false
		}
		w.expand(c, w.alone)
		s.merge(w.alone)
		s.fitRounds(w.alone.takes() / s.level.chunkLen(c) * chunkStates)
		if s.full() {
			return c + 1, s.remains(c)
		}
		s.level.release(c + 1)
		s.relieve()
		s.lookAtMemory()
		if s.failure.err != nil {
			return c + 1, false
		}
		s.reportSometimes()
	}
	return s.level.chunks(), false
}

func (s *search[S, A]) full() bool {
	return s.options.MaxStates != 0 && s.links.count >= s.options.MaxStates
}

// remains says that there is something left to expand after a chunk of the level.
func (s *search[S, A]) remains(chunk int) bool {
	return chunk+1 < s.level.chunks() || s.next.states > 0
}

func (s *search[S, A]) merge(b *batch) {
	s.total.add(&b.tally)
	start := uint32(0)
	for i, end := range b.ends {
		if i%touched == 0 {
			s.visited.touch(b.fps[i:min(i+touched, len(b.fps))])
		}
		s.enter(b.fps[i], b.links[i], b.bytes[start:end])
		start = end
	}
}

// mergeEntered is merge for a batch whose fingerprints are entered.
func (s *search[S, A]) mergeEntered(b *batch) {
	s.total.add(&b.tally)
	start := uint32(0)
	for i, end := range b.ends {
		if b.fresh[i] && s.meet(b.fps[i], b.links[i], b.bytes[start:end]) {
			s.number(b.fps[i], b.links[i], b.bytes[start:end])
		}
		start = end
	}
}
