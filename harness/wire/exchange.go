package wire

import (
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Exchange is one request and what became of it.
type Exchange struct {
	// Request is what was sent. It belongs to the exchange from then on: a
	// caller that wants to change it makes a new one.
	Request kmsg.Request
	// Response is the decoded answer; nil until it was received, and for
	// ever when the request has none (Produce with acks=0).
	Response kmsg.Response

	// CorrelationID ties answer to request.
	CorrelationID int32
	// RawRequest and RawResponse are the frames as they went over the wire,
	// four bytes of length included. They are nil when no wire was involved
	// (a broker in this process) and RawResponse also when no answer came;
	// after a malformed answer it holds the bytes that came.
	RawRequest, RawResponse []byte

	// Sent is when the last byte of the request was handed to the system,
	// Received when the last byte of the answer had come.
	Sent, Received time.Time
}

// RequestFrame gives the request as a frame: the raw bytes, or, for a broker
// without a wire, what they would have been.
func (e *Exchange) RequestFrame() []byte {
	if e.RawRequest != nil || e.Request == nil {
		return e.RawRequest
	}
	frame, err := encodeRequest(e.Request, e.CorrelationID, defaultClientID)
	if err != nil {
		return nil
	}
	return frame
}

// ResponseFrame gives the answer as a frame: the raw bytes, or, for a broker
// without a wire, what they would have been; nil when there is no answer.
func (e *Exchange) ResponseFrame() []byte {
	if e.RawResponse != nil || e.Response == nil {
		return e.RawResponse
	}
	return EncodeResponse(e.Response, e.CorrelationID)
}

// Describe names a request as people read it: "EndTxn v5".
func Describe(req kmsg.Request) string {
	return fmt.Sprintf("%s v%d", kmsg.NameForKey(req.Key()), req.GetVersion())
}

// HasResponse reports whether a broker answers the request: all but Produce
// with acks=0, which a broker must not answer.
func HasResponse(req kmsg.Request) bool {
	p, ok := req.(*kmsg.ProduceRequest)
	return !ok || p.Acks != 0
}
