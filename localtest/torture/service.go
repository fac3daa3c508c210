package torture

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/statelock/statelock/localtest/broken"
	"github.com/statelock/statelock/localtest/engine"
	"github.com/statelock/statelock/localtest/faults"
	"github.com/statelock/statelock/localtest/history"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// service is the service in this process, over a table of its own, with a bad
// network on either side:
//
//	clients → faults → lockapi → ddbstore → SDK → faults → witness → database
type service struct {
	system
	toService, toDatabase *faults.Injector
	witness               witness
	quiet                 *ddbstore.Store  // the same table, past all faults
	direct                *dynamodb.Client // the same
	table                 string
	disagreed             atomic.Int64 // answers of ddbstore.ErrTableDisagrees
}

// newService makes the service for a run. The database is the one at the
// endpoint, or the embedded one for "".
func newService(ctx context.Context, c Config, seed uint64, w weather) (*service, error) {
	endpoint, transport := "http://embedded.invalid", http.RoundTripper(engine.Transport{Handler: engine.New()})
	if c.Endpoint != "" {
		endpoint, transport = c.Endpoint, http.DefaultTransport
	}
	clock := newClock()
	s := &service{
		table:   tableName(seed),
		witness: witness{next: transport},
		direct:  databaseClient(endpoint, transport),
	}
	s.toDatabase = faults.New(jostle{&s.witness}, faults.Options{Seed: seed, Hop: "to the database", Rates: w.toDatabase, Replies: faults.DynamoDB})
	if err := ddbstore.CreateTable(ctx, s.direct, s.table); err != nil {
		return nil, err
	}
	options := ddbstore.Options{Table: s.table, Now: clock.Now}
	s.quiet = ddbstore.New(s.direct, options)
	client := ddbstore.Client(databaseClient(endpoint, s.toDatabase))
	if c.Broken.Client != nil {
		client = c.Broken.Client(client)
	}
	store := lockapi.Store(watched{ddbstore.New(client, options), &s.disagreed})
	if c.Broken.Store != nil {
		store = c.Broken.Store(broken.Parts{Store: store, Client: client, Table: s.table, Now: clock.Now})
	}
	api := believing(lockapi.New(store, lockapi.Options{Log: slog.New(slog.DiscardHandler)}))
	s.toService = faults.New(jostle{engine.Transport{Handler: api}}, faults.Options{
		Seed: seed, Hop: "to the service", Rates: w.toService, Replies: faults.Gateway, Copied: s.copied,
	})
	s.system = system{
		url:           func(context.Context) (string, error) { return "http://service.invalid", nil },
		http:          &http.Client{Transport: s.toService},
		recorder:      history.NewRecorder(clock.Now),
		deliveries:    func(t *faults.Trip) int { return t.Delivered(s.toDatabase) },
		authenticated: true,
		pass:          clock.pass,
	}
	if w.tampering {
		s.tamper = s.writeState
	}
	return s, nil
}

// close removes the table, where others may have theirs beside it.
func (s *service) close(ctx context.Context) error {
	_, err := s.direct.DeleteTable(context.WithoutCancel(ctx), &dynamodb.DeleteTableInput{TableName: &s.table})
	return err
}

// settle lets everything arrive that is still under way.
func (s *service) settle() {
	s.toService.Settle()
	s.toDatabase.Settle()
}

// writeState is tampering.
func (s *service) writeState(ctx context.Context, ws string, state lockmodel.State) error {
	_, err := s.direct.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 &s.table,
		Key:                       map[string]types.AttributeValue{"ws": &types.AttributeValueMemberS{Value: ws}, "sk": &types.AttributeValueMemberS{Value: "lock"}},
		UpdateExpression:          aws.String("SET st = :st"),
		ConditionExpression:       aws.String("attribute_exists(ws)"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":st": &types.AttributeValueMemberS{Value: state}},
	})
	return err
}

// databaseClient makes an SDK client that retries as the service's does, but
// never pauses.
func databaseClient(endpoint string, transport http.RoundTripper) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: &endpoint,
		Region:       engine.Region,
		Credentials:  aws.NewCredentialsCache(credentials.NewStaticCredentialsProvider("test", "test", "")),
		HTTPClient:   &http.Client{Transport: transport},
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxAttempts = 3
			o.RateLimiter = ratelimit.None
			o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
		}),
	})
}

// believing takes principalHeader's word for who calls.
func believing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if who := r.Header.Get(principalHeader); who != "" {
			r = r.WithContext(lockapi.WithPrincipal(r.Context(), who))
		}
		next.ServeHTTP(w, r)
	})
}

// watched counts the store's complaints that the database is not what it takes
// it for.
type watched struct {
	*ddbstore.Store
	disagreed *atomic.Int64
}

// Transition performs a transition.
func (s watched) Transition(ctx context.Context, r lockmodel.Request) (lockmodel.Outcome, error) {
	out, err := s.Store.Transition(ctx, r)
	if errors.Is(err, ddbstore.ErrTableDisagrees) {
		s.disagreed.Add(1)
	}
	return out, err
}
