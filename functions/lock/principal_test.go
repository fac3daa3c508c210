package main

import (
	"encoding/json"
	"testing"

	"github.com/aws/aws-lambda-go/events"
)

// TestNoPrincipal: what doesn't name a caller wholly names none.
func TestNoPrincipal(t *testing.T) {
	t.Parallel()
	for _, authorizer := range []string{
		`null`,
		`{}`,
		`{"iam":null,"jwt":null}`,
		`{"iam":{"userArn":""}}`,
		`{"iam":{"userArn":null,"accountId":"111122223333"}}`,
		`{"jwt":{"claims":null,"scopes":null}}`,
		`{"jwt":{"claims":{"sub":"jane"}}}`,
		`{"jwt":{"claims":{"iss":"https://issuer.example.com"}}}`,
		`{"lambda":{"principalId":"jane","iss":"https://issuer.example.com","sub":"jane"}}`,
	} {
		var c events.APIGatewayV2HTTPRequestContext
		if err := json.Unmarshal([]byte(`{"authorizer":`+authorizer+`}`), &c); err != nil {
			t.Fatal(err)
		}
		if got := principalV2(c.Authorizer); got != "" {
			t.Errorf("2.0, %s: %q", authorizer, got)
		}
	}
	for _, context := range []string{
		`{}`,
		`{"identity":{"userArn":null,"user":"jane"},"authorizer":null}`,
		`{"authorizer":{"principalId":"jane","sub":"jane","iss":"https://issuer.example.com"}}`,
		`{"authorizer":{"claims":null}}`,
		`{"authorizer":{"claims":"sub"}}`,
		`{"authorizer":{"claims":{"sub":"jane"}}}`,
		`{"authorizer":{"claims":{"iss":7,"sub":"jane"}}}`,
	} {
		var c events.APIGatewayProxyRequestContext
		if err := json.Unmarshal([]byte(context), &c); err != nil {
			t.Fatal(err)
		}
		if got := principalV1(c); got != "" {
			t.Errorf("1.0, %s: %q", context, got)
		}
	}
}
