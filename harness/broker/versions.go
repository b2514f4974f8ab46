package broker

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// transactionVersionFeature is the feature that switches between the
// transaction protocols (KIP-890).
const transactionVersionFeature = "transaction.version"

// Range is an inclusive range of versions.
type Range struct {
	Min, Max int16
}

// Versions is what a broker says of itself in ApiVersions.
type Versions struct {
	// Keys has the versions served of each API key.
	Keys map[int16]Range
	// TransactionVersion is the finalized level of transaction.version. At
	// level 0 a broker leaves the feature out, so that 0 also stands for a
	// broker that does not know it.
	TransactionVersion int16
	// SupportedTransactionVersions is what the level can be set to, nil where
	// the feature is unknown.
	SupportedTransactionVersions *Range
}

// Has reports whether the broker serves this version of an API.
func (v Versions) Has(key, version int16) bool {
	r, ok := v.Keys[key]
	return ok && r.Min <= version && version <= r.Max
}

// AtMost gives the highest version served of an API that is not above want.
func (v Versions) AtMost(key, want int16) (int16, error) {
	r, ok := v.Keys[key]
	if !ok {
		return 0, fmt.Errorf("expected a broker with %s, got one without: %w", kmsg.NameForKey(key), ErrUnsupported)
	}
	if r.Min > want {
		return 0, fmt.Errorf("expected %s v%d or lower, the broker serves v%d to v%d: %w", kmsg.NameForKey(key), want, r.Min, r.Max, ErrUnsupported)
	}
	return min(r.Max, want), nil
}

// ReadVersions asks a broker for its versions, with ApiVersions v4 or the
// highest below that it knows. (v3 leaves out the features that have a lowest
// level of 0, transaction.version among them.)
func ReadVersions(ctx context.Context, c Conn) (Versions, error) {
	resp, err := apiVersions(ctx, c, 4)
	if err == nil && resp.ErrorCode == kerr.UnsupportedVersion.Code {
		resp, err = apiVersions(ctx, c, offered(resp))
	}
	if err != nil {
		return Versions{}, err
	}
	if err := answered("ApiVersions", resp.ErrorCode, nil); err != nil {
		return Versions{}, err
	}
	v := Versions{Keys: make(map[int16]Range, len(resp.ApiKeys))}
	for _, k := range resp.ApiKeys {
		v.Keys[k.ApiKey] = Range{k.MinVersion, k.MaxVersion}
	}
	for _, f := range resp.FinalizedFeatures {
		if f.Name == transactionVersionFeature {
			v.TransactionVersion = f.MaxVersionLevel
		}
	}
	for _, f := range resp.SupportedFeatures {
		if f.Name == transactionVersionFeature {
			v.SupportedTransactionVersions = &Range{f.MinVersion, f.MaxVersion}
		}
	}
	return v, nil
}

// offered is the version to ask again with, after a refusal. It says which
// versions of ApiVersions there are, unless the broker is very old.
func offered(refusal *kmsg.ApiVersionsResponse) int16 {
	for _, k := range refusal.ApiKeys {
		if k.ApiKey == refusal.Key() {
			return min(k.MaxVersion, 4)
		}
	}
	return 0
}

func apiVersions(ctx context.Context, c Conn, version int16) (*kmsg.ApiVersionsResponse, error) {
	req := kmsg.NewPtrApiVersionsRequest()
	req.Version, req.ClientSoftwareName, req.ClientSoftwareVersion = version, "onceproof", "1"
	x, err := c.Do(ctx, req)
	if err != nil {
		return nil, err
	}
	resp, ok := x.Response.(*kmsg.ApiVersionsResponse)
	if !ok {
		return nil, fmt.Errorf("expected an answer to ApiVersions, got %T", x.Response)
	}
	return resp, nil
}

// answered turns an error code into an error that names it.
func answered(what string, code int16, message *string) error {
	if code == 0 {
		return nil
	}
	err := kerr.ErrorForCode(code)
	if message != nil && *message != "" {
		return fmt.Errorf("%s: expected NONE, got %w (%s)", what, err, *message)
	}
	return fmt.Errorf("%s: expected NONE, got %w", what, err)
}

// setTransactionVersion brings the feature to a level with UpdateFeatures
// (KIP-584) and returns when ApiVersions shows it. It is meant for the time
// before the first transaction: a transaction that is open lives on by the old
// rules.
func setTransactionVersion(ctx context.Context, c Conn, level int16) error {
	v, err := ReadVersions(ctx, c)
	if err != nil {
		return err
	}
	if v.TransactionVersion == level {
		return nil
	}
	if r := v.SupportedTransactionVersions; r == nil || level > r.Max {
		return fmt.Errorf("transaction.version %d: the broker supports %s: %w", level, levels(r), ErrUnsupported)
	}
	req := kmsg.NewPtrUpdateFeaturesRequest()
	req.Version = 1
	up := kmsg.NewUpdateFeaturesRequestFeatureUpdate()
	up.Feature, up.MaxVersionLevel, up.UpgradeType = transactionVersionFeature, level, 1
	if level < v.TransactionVersion {
		up.UpgradeType = 2 // a safe downgrade; an upgrade to a lower level is refused
	}
	req.FeatureUpdates = append(req.FeatureUpdates, up)
	x, err := c.Do(ctx, req)
	if err != nil {
		return err
	}
	if err := updateResult(x.Response.(*kmsg.UpdateFeaturesResponse)); err != nil {
		return fmt.Errorf("transaction.version %d to %d: %w", v.TransactionVersion, level, err)
	}
	return poll(ctx, fmt.Sprintf("transaction.version %d in ApiVersions", level), func(ctx context.Context) error {
		v, err := ReadVersions(ctx, c)
		if err == nil && v.TransactionVersion != level {
			err = fmt.Errorf("still %d", v.TransactionVersion)
		}
		return err
	})
}

func updateResult(resp *kmsg.UpdateFeaturesResponse) error {
	if err := answered("UpdateFeatures", resp.ErrorCode, resp.ErrorMessage); err != nil {
		return err
	}
	for _, r := range resp.Results {
		if err := answered("UpdateFeatures of "+r.Feature, r.ErrorCode, r.ErrorMessage); err != nil {
			return err
		}
	}
	return nil
}

func levels(r *Range) string {
	if r == nil {
		return "none"
	}
	return fmt.Sprintf("%d to %d", r.Min, r.Max)
}
