package wire_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/wire"
)

func fake(t *testing.T, opts ...kfake.Opt) string {
	t.Helper()
	k, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1), kfake.SeedTopics(1, "t")}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	return k.ListenAddrs()[0]
}

func dial(t *testing.T, addr string, opts wire.Options) *wire.Conn {
	t.Helper()
	c, err := wire.Dial(t.Context(), addr, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func produce(acks int16, b wire.Batch) *kmsg.ProduceRequest {
	req := kmsg.NewPtrProduceRequest()
	req.Version, req.Acks, req.TimeoutMillis = 11, acks, 5000
	part := kmsg.NewProduceRequestTopicPartition()
	part.Records = b.Encode()
	topic := kmsg.NewProduceRequestTopic()
	topic.Topic, topic.Partitions = "t", append(topic.Partitions, part)
	req.Topics = append(req.Topics, topic)
	return req
}

func plainBatch(sequence int32, values ...string) wire.Batch {
	b := wire.Batch{ProducerID: 5, ProducerEpoch: 0, BaseSequence: sequence}
	for _, v := range values {
		b.Records = append(b.Records, []byte(v))
	}
	return b
}

func result(t *testing.T, x *wire.Exchange) kmsg.ProduceResponseTopicPartition {
	t.Helper()
	return x.Response.(*kmsg.ProduceResponse).Topics[0].Partitions[0]
}

// The same batch on two connections is a duplicate; the answer to the first is
// read last.
func TestAnAnswerMayBeReadLater(t *testing.T) {
	addr := fake(t)
	a, b := dial(t, addr, wire.Options{}), dial(t, addr, wire.Options{})
	req := produce(-1, plainBatch(0, "x"))
	sent, err := a.Send(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if sent.Response != nil || sent.Sent.IsZero() {
		t.Errorf("expected an exchange that was sent and has no answer, got %+v", sent)
	}
	if _, err := a.Send(t.Context(), req); !errors.Is(err, wire.ErrMisuse) {
		t.Errorf("second request in flight: expected %q, got %v", wire.ErrMisuse, err)
	}
	second, err := b.Do(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	first, err := a.Receive(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if first != sent {
		t.Error("expected Receive to complete the exchange that Send gave")
	}
	one, two := result(t, first), result(t, second)
	if one.ErrorCode != 0 || two.ErrorCode != 0 || one.BaseOffset != 0 || two.BaseOffset != 0 {
		t.Errorf("expected NONE at offset 0 twice, got %+v and %+v", one, two)
	}
	if _, err := a.Receive(t.Context()); !errors.Is(err, wire.ErrMisuse) {
		t.Errorf("nothing in flight: expected %q, got %v", wire.ErrMisuse, err)
	}
}

func TestAReceiveThatTimedOutGoesOnLater(t *testing.T) {
	release := make(chan struct{})
	addr := server(t, func(c net.Conn, id uint32) {
		answer := goodAnswer(id)
		write(c, answer[:7])
		<-release
		write(c, answer[7:])
	})
	c := dial(t, addr, wire.Options{Timeout: 100 * time.Millisecond})
	x, err := c.Do(t.Context(), endTxn())
	if !errors.Is(err, wire.ErrTimeout) || len(x.RawResponse) != 7 {
		t.Fatalf("expected %q after 7 bytes, got %v after %d", wire.ErrTimeout, err, len(x.RawResponse))
	}
	close(release)
	if x, err = c.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := x.Response.(*kmsg.EndTxnResponse).ProducerEpoch; got != 3 {
		t.Errorf("expected epoch 3, got %d", got)
	}
}

func TestAcks0HasNoAnswer(t *testing.T) {
	c := dial(t, fake(t), wire.Options{})
	x, err := c.Do(t.Context(), produce(0, plainBatch(0, "x")))
	if err != nil || x.Response != nil || x.RawResponse != nil {
		t.Fatalf("expected no answer and no error, got %+v, %v", x, err)
	}
	x, err = c.Do(t.Context(), produce(-1, plainBatch(1, "y")))
	if err != nil {
		t.Fatal(err)
	}
	if got := result(t, x); got.ErrorCode != 0 || got.BaseOffset != 1 {
		t.Errorf("expected the next batch at offset 1, got %+v", got)
	}
}

// What is kept is what went over the wire, version and all.
func TestAnExchangeKeepsTheBytes(t *testing.T) {
	c := dial(t, fake(t), wire.Options{ClientID: "me"})
	for _, version := range []int16{4, 3, 0} {
		req := kmsg.NewPtrInitProducerIDRequest()
		req.Version, req.ProducerID, req.ProducerEpoch = version, -1, -1
		x, err := c.Do(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if got := int16(binary.BigEndian.Uint16(x.RawRequest[6:])); got != version || req.Version != version {
			t.Errorf("expected version %d, %d went out and %d is in the request", version, got, req.Version)
		}
		if !bytes.Contains(x.RawRequest, []byte("me")) {
			t.Error("expected the client id in the request")
		}
		if again := wire.EncodeResponse(x.Response, x.CorrelationID); !bytes.Equal(again, x.RawResponse) || !bytes.Equal(x.ResponseFrame(), again) {
			t.Errorf("v%d: expected the answer to encode as\n%x, got\n%x", version, x.RawResponse, again)
		}
		inProcess := wire.Exchange{Request: req, Response: x.Response, CorrelationID: x.CorrelationID}
		if frame := inProcess.RequestFrame(); len(frame) != len(x.RawRequest)+len("onceproof")-len("me") {
			t.Errorf("expected an exchange without a wire to make up its frame, got %x for %x", frame, x.RawRequest)
		}
	}
}

// A broker that does not know the version answers in v0, whose header, like
// that of every version, has no tagged fields (KIP-511).
func TestApiVersionsOfAnUnknownVersion(t *testing.T) {
	c := dial(t, fake(t), wire.Options{})
	for version, want := range map[int16]int16{0: 0, 3: 0, 4: 0, 99: 35} {
		req := kmsg.NewPtrApiVersionsRequest()
		req.Version, req.ClientSoftwareName, req.ClientSoftwareVersion = version, "onceproof", "1"
		x, err := c.Do(t.Context(), req)
		if err != nil {
			t.Fatalf("v%d: %v", version, err)
		}
		if got := x.Response.(*kmsg.ApiVersionsResponse); got.ErrorCode != want || len(got.ApiKeys) == 0 {
			t.Errorf("v%d: expected error %d and API keys, got error %d and %d keys", version, want, got.ErrorCode, len(got.ApiKeys))
		}
	}
}

func TestSASLPlain(t *testing.T) {
	addr := fake(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "alice", "secret"))
	c := dial(t, addr, wire.Options{SASL: &wire.Plain{User: "alice", Password: "secret"}})
	req := kmsg.NewPtrMetadataRequest()
	req.Version = 9
	if _, err := c.Do(t.Context(), req); err != nil {
		t.Error(err)
	}
	_, err := wire.Dial(t.Context(), addr, wire.Options{SASL: &wire.Plain{User: "alice", Password: "wrong"}})
	if !errors.Is(err, wire.ErrRefused) {
		t.Errorf("wrong password: expected %q, got %v", wire.ErrRefused, err)
	}
	if err != nil && strings.Contains(err.Error(), "wrong") {
		t.Errorf("expected no password in the error, got %v", err)
	}
}

// Kafka says why it refuses, in the handshake or in the answer to the password.
func TestSASLRefusalsSayWhy(t *testing.T) {
	for _, handshakeFails := range []bool{true, false} {
		requests := 0
		addr := server(t, func(c net.Conn, id uint32) {
			requests++
			shake := kmsg.NewPtrSASLHandshakeResponse()
			shake.Version, shake.SupportedMechanisms = 1, []string{"SCRAM-SHA-256"}
			if handshakeFails {
				shake.ErrorCode = 33
			}
			if requests == 1 {
				write(c, wire.EncodeResponse(shake, int32(id)))
				return
			}
			auth := kmsg.NewPtrSASLAuthenticateResponse()
			auth.Version, auth.ErrorCode, auth.ErrorMessage = 1, 58, new("no such user SCRAM-SHA-256")
			write(c, wire.EncodeResponse(auth, int32(id)))
		})
		_, err := wire.Dial(t.Context(), addr, wire.Options{SASL: &wire.Plain{User: "alice", Password: "secret"}})
		if !errors.Is(err, wire.ErrRefused) || !strings.Contains(err.Error(), "SCRAM-SHA-256") {
			t.Errorf("handshake fails %t: expected %q with the broker's words, got %v", handshakeFails, wire.ErrRefused, err)
		}
	}
}

func TestTLS(t *testing.T) {
	cert, pool := certificate(t)
	addr := fake(t, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{cert}}))
	c := dial(t, addr, wire.Options{TLS: &tls.Config{RootCAs: pool}})
	if _, err := c.Do(t.Context(), produce(-1, plainBatch(0, "x"))); err != nil {
		t.Error(err)
	}
	if _, err := wire.Dial(t.Context(), addr, wire.Options{TLS: &tls.Config{}}); !errors.Is(err, wire.ErrConnect) {
		t.Errorf("unknown authority: expected %q, got %v", wire.ErrConnect, err)
	}
	plain := dial(t, addr, wire.Options{Timeout: time.Second})
	if _, err := plain.Do(t.Context(), produce(-1, plainBatch(0, "x"))); err == nil {
		t.Error("plaintext to a TLS broker: expected an error, got none")
	}
}

// certificate makes one for 127.0.0.1, signed by itself.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}
