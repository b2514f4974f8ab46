package spec

// API is the key of a request (ApiKeys). The zero value None is no request: the broker's own doing.
type API int8

// The requests that the spec takes. Key returns the number on the wire.
const (
	NoAPI API = iota
	Produce
	InitProducerID
	AddPartitionsToTxn
	EndTxn
	WriteTxnMarkers
)

// Key returns the API key on the wire.
func (a API) Key() int16 { return [...]int16{-1, 0, 22, 24, 26, 27}[a] }

func (a API) String() string {
	return [...]string{"none", "Produce", "InitProducerId", "AddPartitionsToTxn", "EndTxn", "WriteTxnMarkers"}[a]
}

// Request is one request, of any API; each field says by which APIs it is read.
type Request struct {
	API     API
	Version int16
	// Ref is the caller's own mark. It is carried along and returned in decisions, and read by no rule.
	Ref        uint8
	Txn        TxnID // all but WriteTxnMarkers
	ProducerID int64
	Epoch      int16
	TimeoutMs  int32      // InitProducerID
	Partitions Partitions // AddPartitionsToTxn
	VerifyOnly bool       // AddPartitionsToTxn v4+
	Partition  int8       // Produce, WriteTxnMarkers: the one partition asked for
	Sequence   int32      // Produce: base sequence
	Count      int32      // Produce: records
	// Transactional is the batch's flag. Acks is stored less all (-1): zero means acks=all, 1 means 0, 2 means 1.
	Transactional      bool
	Acks               int8
	Data               int32 // Produce: the caller's own name for the contents
	Commit             bool  // EndTxn, WriteTxnMarkers
	CoordinatorEpoch   int32 // WriteTxnMarkers
	TransactionVersion int8  // WriteTxnMarkers v2
}

// Answer is the response to a request.
type Answer struct {
	Conn Conn
	API  API
	Code Code
	// ProducerID and Epoch are the identity granted (InitProducerID, EndTxn v5), else -1.
	ProducerID int64
	Epoch      int16
	Offset     int64 // Produce: base offset, or NoOffset
	// Failed are the partitions that Code is for (AddPartitionsToTxn); the others of the request get Rest.
	Failed Partitions
	Rest   Code
	// Coordinator says that the coordinator gave it: a crash of the coordinator loses the answer.
	Coordinator bool
}
