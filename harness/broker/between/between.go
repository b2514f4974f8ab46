// Package between stands between the brokers of a cluster, or between a broker and itself: also a single node of Apache
// Kafka asks its coordinator, and sends its markers, over a connection of its inter-broker listener. Where that listener
// is advertised at a [Proxy], what goes through it can be held and let go: the races inside a broker become steps.
//
// A proxy changes nothing and keeps the order of each connection. What it holds is late, as on a slow network: requests
// behind a held one on the same connection wait too, and so do answers behind a held answer.
package between

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	dialTimeout = 5 * time.Second
	// drainTimeout bounds the wait for the answers to requests whose sender has left.
	drainTimeout = 30 * time.Second
)

// Match chooses what is held, by the request, for an answer the one that it answers. It may run on several goroutines.
type Match func(kmsg.Request) bool

// Proxy forwards the connections that come to its address to a broker.
type Proxy struct {
	listener net.Listener
	target   string
	stop     context.CancelFunc
	done     context.Context // ends with Close
	running  sync.WaitGroup

	mu    sync.Mutex
	holds []*Hold // that wait for something to hold
	all   []*Hold // since ReleaseAll
}

// Listen starts a proxy at an address (port 0: any free one) for the broker at the target, which is dialed for each
// connection that comes, so that it may start later, or again.
func Listen(addr, target string) (*Proxy, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("proxy between brokers: expected to listen at %s, got: %w", addr, err)
	}
	p := &Proxy{listener: l, target: target}
	p.done, p.stop = context.WithCancel(context.Background())
	p.running.Go(p.accept)
	return p, nil
}

// Addr is where it listens, HOST:PORT.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Close ends all connections, what is held included, and returns when nothing runs any more.
func (p *Proxy) Close() error {
	p.stop()
	err := p.listener.Close()
	p.running.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// HoldRequest holds the next request that matches, before it gets to the broker.
func (p *Proxy) HoldRequest(m Match) *Hold { return p.hold(&Hold{match: m}) }

// HoldAnswer lets the next request that matches through and holds its answer: the broker has done what was asked, and
// the one that asked does not know yet.
func (p *Proxy) HoldAnswer(m Match) *Hold { return p.hold(&Hold{match: m, answer: true}) }

// WatchAnswer holds nothing: the next request that matches is caught when its answer goes by, so that what was asked is done.
func (p *Proxy) WatchAnswer(m Match) *Hold { return p.hold(&Hold{match: m, answer: true, watch: true}) }

func (p *Proxy) hold(h *Hold) *Hold {
	h.caught, h.released = make(chan struct{}), make(chan struct{})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holds, p.all = append(p.holds, h), append(p.all, h)
	return h
}

// ReleaseAll lets everything go, and ends the holds that hold nothing yet: for the end of a scenario, which may have
// stopped anywhere.
func (p *Proxy) ReleaseAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.all {
		h.Release()
	}
	p.holds, p.all = nil, nil
}

// take gives the first hold that wants this request, or its answer. It holds nothing else from then on.
func (p *Proxy) take(req kmsg.Request, answer bool) *Hold {
	if req == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.holds, func(h *Hold) bool { return h.answer == answer && !h.free() && h.match(req) })
	if i < 0 {
		return nil
	}
	h := p.holds[i]
	p.holds = slices.Delete(p.holds, i, i+1)
	return h
}

// pass gives what is held to its hold and waits until it is released. To hang up is to end the connection to the one
// that asked.
func (p *Proxy) pass(m Message, answer bool, hangUp func()) error {
	h := p.take(m.Request, answer)
	if h == nil {
		return nil
	}
	h.message, h.hangUp = m, hangUp
	close(h.caught)
	if h.watch {
		return nil
	}
	select {
	case <-h.released:
		return nil
	case <-p.done.Done():
		return p.done.Err()
	}
}

// Message is what is held: a request, or an answer together with its request.
type Message struct {
	Request kmsg.Request
	// Answer is nil while the request itself is held.
	Answer kmsg.Response
}

// Hold is one request, or one answer, that is to be late.
type Hold struct {
	match    Match
	answer   bool
	watch    bool // it is caught and goes on
	message  Message
	hangUp   func()
	caught   chan struct{} // closed when message and hangUp are set
	released chan struct{}
	once     sync.Once
}

// Caught waits until it holds something and gives that.
func (h *Hold) Caught(ctx context.Context) (Message, error) {
	select {
	case <-h.caught:
		return h.message, nil
	case <-ctx.Done():
		return Message{}, fmt.Errorf("waited for something to hold, between brokers: %w", ctx.Err())
	}
}

// Release lets it go on; before anything is caught it makes the hold one that holds nothing. Again it does nothing.
func (h *Hold) Release() { h.once.Do(func() { close(h.released) }) }

func (h *Hold) free() bool {
	select {
	case <-h.released:
		return true
	default:
		return false
	}
}

// HangUp ends the connection of the one that asked, once something is caught, and keeps what is held: to the asker it is
// lost, and asked for again on a new connection; released later, it arrives as a late copy.
func (h *Hold) HangUp() {
	<-h.caught
	h.hangUp()
}
