package wire

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"
)

const apiVersionsKey = 18

// encodeRequest makes the frame of a request, its version untouched.
func encodeRequest(req kmsg.Request, correlationID int32, clientID string) (frame []byte, err error) {
	defer recoverTo(&err, "encoding "+Describe(req))
	frame = kmsg.NewRequestFormatter(kmsg.FormatterClientID(clientID)).AppendRequest(nil, req, correlationID)
	return frame, nil
}

// EncodeResponse makes the frame of an answer, as a broker would send it.
func EncodeResponse(resp kmsg.Response, correlationID int32) []byte {
	b := binary.BigEndian.AppendUint32([]byte{0, 0, 0, 0}, uint32(correlationID))
	if flexibleHeader(resp) {
		b = append(b, 0)
	}
	b = resp.AppendTo(b)
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

// flexibleHeader reports whether the answer's header has tagged fields.
// ApiVersions never has: its answer must be readable by a client that does not
// know yet what the broker speaks (KIP-511).
func flexibleHeader(resp kmsg.Response) bool {
	return resp.IsFlexible() && resp.Key() != apiVersionsKey
}

// decodeResponse reads the body of an answer, which is what follows the
// correlation id, into the answer type of req.
func decodeResponse(req kmsg.Request, body []byte) (resp kmsg.Response, err error) {
	defer recoverTo(&err, "decoding the answer to "+Describe(req))
	resp = req.ResponseKind()
	resp.SetVersion(req.GetVersion())
	if flexibleHeader(resp) {
		if body, err = skipTags(body); err != nil {
			return nil, fmt.Errorf("response header: %w", err)
		}
	}
	if req.Key() == apiVersionsKey && len(body) >= 2 && binary.BigEndian.Uint16(body) == 35 {
		// A version that the broker does not know is answered in version 0.
		resp.SetVersion(0)
	}
	if err := resp.ReadFrom(body); err != nil {
		return nil, err
	}
	return resp, checkWhole(resp, body)
}

// checkWhole reports bytes that the decoder left over. kmsg ignores them, and
// an answer of another API often decodes that way. The decoder reads from
// front to back, so that it consumed the last byte exactly when it fails
// without it.
func checkWhole(resp kmsg.Response, body []byte) error {
	if len(body) == 0 {
		return nil
	}
	again := resp.RequestKind().ResponseKind()
	again.SetVersion(resp.GetVersion())
	if again.ReadFrom(body[:len(body)-1]) == nil {
		return fmt.Errorf("bytes are left over behind the last field")
	}
	return nil
}

var errShort = errors.New("the bytes end inside a field")

// skipTags skips the tagged fields of a response header (KIP-482).
func skipTags(b []byte) ([]byte, error) {
	count, b, err := uvarint(b)
	for ; err == nil && count > 0; count-- {
		if _, b, err = uvarint(b); err != nil {
			break
		}
		var size uint64
		if size, b, err = uvarint(b); err != nil {
			break
		}
		if size > uint64(len(b)) {
			return nil, errShort
		}
		b = b[size:]
	}
	return b, err
}

func uvarint(b []byte) (uint64, []byte, error) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, nil, errShort
	}
	return v, b[n:], nil
}

// recoverTo turns a panic, as hostile bytes may cause in a decoder, into an error.
func recoverTo(err *error, doing string) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s: panic: %v", doing, p)
	}
}
