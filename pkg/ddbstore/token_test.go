package ddbstore_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/auth"
	"github.com/statelock/statelock/pkg/ddbstore"
)

var tokenTime = time.UnixMilli(1_800_000_000_000)

func newToken() (auth.Token, string) {
	return auth.Mint(auth.Token{
		Name: "ci of acme", CreatedAt: tokenTime, CreatedBy: "jane@laptop", ExpiresAt: tokenTime.Add(time.Hour),
		Grant: auth.Grant{Permissions: auth.DefaultPermissions(), Workspaces: []auth.Pattern{"acme/**", "shared"}},
	})
}

func TestTokens(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	tokens := &ddbstore.Tokens{Client: db.Client, Table: db.Table}
	one, _ := newToken()
	two, _ := newToken()
	two.ExpiresAt, two.CreatedBy = time.Time{}, ""
	for _, token := range []auth.Token{one, two} {
		if err := tokens.Create(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	db.Requests()
	for _, want := range []auth.Token{one, two} {
		got, err := tokens.Token(t.Context(), want.ID)
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("%v\n%s", err, cmp.Diff(want, got))
		}
	}
	if n := db.Requests(); n != 2 {
		t.Errorf("%d requests for two tokens", n)
	}

	// Never replaced, not by one with the same id.
	other := one
	other.Name, other.Digest = "another", auth.Digest("another")
	if err := tokens.Create(t.Context(), other); !errors.Is(err, ddbstore.ErrTokenExists) {
		t.Errorf("created over another: %v", err)
	}
	if got, err := tokens.Token(t.Context(), one.ID); err != nil || got.Name != one.Name {
		t.Errorf("%+v, %v", got, err)
	}

	// Revoked once and for all.
	for _, at := range []time.Time{tokenTime.Add(time.Minute), tokenTime.Add(2 * time.Minute)} {
		got, err := tokens.Revoke(t.Context(), one.ID, at)
		if err != nil || !got.RevokedAt.Equal(tokenTime.Add(time.Minute)) || got.Digest != one.Digest {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if got, err := tokens.Token(t.Context(), one.ID); err != nil || got.Lapse(tokenTime) == "" {
		t.Errorf("%+v, %v", got, err)
	}

	unknown, _ := newToken()
	if _, err := tokens.Token(t.Context(), unknown.ID); !errors.Is(err, auth.ErrNoToken) {
		t.Errorf("unknown: %v", err)
	}
	if _, err := tokens.Revoke(t.Context(), unknown.ID, tokenTime); !errors.Is(err, auth.ErrNoToken) {
		t.Errorf("revoke unknown: %v", err)
	}
	if _, err := tokens.Token(t.Context(), unknown.ID); !errors.Is(err, auth.ErrNoToken) {
		t.Errorf("made by revoking it: %v", err)
	}

	all, err := tokens.List(t.Context())
	if err != nil || len(all) != 2 || !slices.IsSortedFunc(all, func(a, b auth.Token) int { return strings.Compare(a.ID, b.ID) }) {
		t.Errorf("%+v, %v", all, err)
	}
}

// Tokens are beside the locks: in no list of them, and none of the history that
// is deleted after some time.
func TestTokensAreApart(t *testing.T) {
	t.Parallel()
	var rec recorder
	db := testdb.Open(t, rec.between)
	tokens := &ddbstore.Tokens{Client: db.Client, Table: db.Table}
	token, secret := newToken()
	if err := tokens.Create(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Revoke(t.Context(), token.ID, tokenTime); err != nil {
		t.Fatal(err)
	}
	for _, body := range rec.seen {
		for _, never := range []string{`"expires_at"`, `"st"`, `"lease_until"`, secret, secret[14:]} {
			if strings.Contains(body, never) {
				t.Errorf("%s is stored: %s", never, body)
			}
		}
	}
	s := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table})
	for _, state := range []string{"", "held", "stale", "unlocked"} {
		if page, err := s.List(t.Context(), ddbstore.Query{State: state}); err != nil || len(page.Locks) != 0 {
			t.Errorf("list %s: %+v, %v", state, page, err)
		}
	}
	if locks, _, err := s.Lapsed(t.Context(), 10); err != nil || len(locks) != 0 {
		t.Errorf("lapsed: %v, %v", locks, err)
	}
}

// A page of a query is at most a megabyte.
func TestManyTokens(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	tokens := &ddbstore.Tokens{Client: db.Client, Table: db.Table}
	const count = 20
	for range count {
		token, _ := newToken()
		for n := range 150 {
			token.Workspaces = append(token.Workspaces, auth.Pattern(fmt.Sprintf("w%d/%s", n, strings.Repeat("x", 400))))
		}
		if err := tokens.Create(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	db.Requests()
	if all, err := tokens.List(t.Context()); err != nil || len(all) != count {
		t.Errorf("%d tokens, %v", len(all), err)
	}
	if n := db.Requests(); n < 2 {
		t.Errorf("%d requests: it was a single page", n)
	}
}

// A reply that is lost makes neither a second token nor a false refusal.
func TestTokenRepliesLost(t *testing.T) {
	t.Parallel()
	var faults loseReplies
	db := testdb.Open(t, faults.between)
	tokens := &ddbstore.Tokens{Client: db.Client, Table: db.Table}
	token, _ := newToken()
	if err := tokens.Create(t.Context(), token); err != nil {
		t.Error(err)
	}
	if _, err := tokens.Revoke(t.Context(), token.ID, tokenTime); err != nil {
		t.Error(err)
	}
	if got, err := tokens.Token(t.Context(), token.ID); err != nil || !got.RevokedAt.Equal(tokenTime) {
		t.Errorf("%+v, %v", got, err)
	}
	if faults.lost != 3 {
		t.Errorf("%d replies lost", faults.lost)
	}
}

// Against the real table: what an authenticator makes of it.
func TestAuthenticate(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	tokens := &ddbstore.Tokens{Client: db.Client, Table: db.Table}
	token, secret := newToken()
	now := tokenTime
	a, err := auth.New(tokens, nil, auth.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Authenticate(t.Context(), secret); !errors.Is(err, auth.ErrInvalid) {
		t.Errorf("before it is created: %v", err)
	}
	if err := tokens.Create(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	db.Requests()
	if id, err := a.Authenticate(t.Context(), secret); err != nil || id.Lapsed || !id.May(auth.WriteState, "acme/x") || db.Requests() != 1 {
		t.Errorf("%+v, %v", id, err)
	}
	now = tokenTime.Add(time.Hour)
	if id, err := a.Authenticate(t.Context(), secret); err != nil || !id.Lapsed {
		t.Errorf("expired: %+v, %v", id, err)
	}
	now = tokenTime
	if _, err := tokens.Revoke(t.Context(), token.ID, now); err != nil {
		t.Fatal(err)
	}
	if id, err := a.Authenticate(t.Context(), secret); err != nil || !id.Lapsed {
		t.Errorf("revoked: %+v, %v", id, err)
	}

	gone := &ddbstore.Tokens{Client: db.Client, Table: "no-such-table"}
	if a, err = auth.New(gone, nil, auth.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Authenticate(t.Context(), secret); !errors.Is(err, auth.ErrUnavailable) {
		t.Errorf("without a table: %v", err)
	}
}

// A token that was tampered with lets nobody in.
func TestTamperedToken(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	tokens := &ddbstore.Tokens{Client: db.Client, Table: db.Table}
	for n, tampered := range []struct {
		attr  string
		value types.AttributeValue
	}{
		{"workspaces", &types.AttributeValueMemberL{}},
		{"workspaces", &types.AttributeValueMemberS{Value: "**"}},
		{"allow", &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberS{Value: "all"}}}},
		{"valid_until", &types.AttributeValueMemberS{Value: "never"}},
		{"digest", &types.AttributeValueMemberS{Value: "x"}},
	} {
		token, _ := newToken()
		if err := tokens.Create(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		_, err := db.Client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
			TableName:                 &db.Table,
			Key:                       map[string]types.AttributeValue{"ws": &types.AttributeValueMemberS{Value: "#tokens"}, "sk": &types.AttributeValueMemberS{Value: "token#" + token.ID}},
			UpdateExpression:          aws.String("SET #a = :v"),
			ExpressionAttributeNames:  map[string]string{"#a": tampered.attr},
			ExpressionAttributeValues: map[string]types.AttributeValue{":v": tampered.value},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := tokens.Token(t.Context(), token.ID); err == nil || errors.Is(err, auth.ErrNoToken) {
			t.Errorf("%d: %s tampered with: %+v, %v", n, tampered.attr, got, err)
		}
	}
}
