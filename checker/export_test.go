package checker

// OnWritten has a function called while each file of WorkDir is written, and once it is there.
func (o *Options) OnWritten(written func(name string)) { o.written = written }

// Hold bounds the memory to so many fingerprints.
func (o *Options) Hold(fingerprints int) { o.Memory, o.held = leastMemory, fingerprints }
