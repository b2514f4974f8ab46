package checker

// OnWritten has a function called while each file of WorkDir is written, and once it is there.
func (o *Options) OnWritten(written func(name string)) { o.written = written }

// Hold bounds the memory to so many fingerprints.
func (o *Options) Hold(fingerprints int) { o.Memory, o.held = LeastMemory, fingerprints }

// Prove has the model put to the proof, and levels checked before they are expanded, up to a number of states.
func (o *Options) Prove(states uint64) { o.proved = states }

// Leave has the system say that so much memory is left.
func (o *Options) Leave(left func() (bytes uint64, known bool)) { o.left = left }

// MemoryLeft is how much is.
func MemoryLeft() (bytes uint64, known bool) { return memoryLeft() }
