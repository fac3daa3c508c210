package e2e

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// s3 is Terraform's backend "s3" on moto's S3 and DynamoDB.
func s3(t *testing.T, moto, key, name, lock string) place {
	t.Helper()
	key += strings.ReplaceAll(strings.ToLower(name), ", ", "-")
	key = strings.ReplaceAll(key, " ", "-")
	net := newProxy(t, moto, func(r *http.Request) string { return s3Operation(r, key) })
	return place{
		name: name, net: net,
		backend: fmt.Sprintf(`terraform {
  backend "s3" {
    bucket    = "states"
    key       = %q
    region    = "us-east-1"
    %s
    endpoints = { s3 = %q, dynamodb = %q }

    use_path_style              = true
    skip_credentials_validation = true
    skip_metadata_api_check     = true
    skip_region_validation      = true
    skip_requesting_account_id  = true
    access_key                  = "test"
    secret_key                  = "test"
  }
}
`, key, lock, net.url, net.url),
		state: func() []byte {
			status, body := askS3(t, "GET", moto+"/states/"+key, "")
			if status != http.StatusOK {
				return nil
			}
			return body
		},
		lock:    func() []byte { return storedLock(t, moto, key) },
		giveUp:  func() error { return nil }, // there is no such thing
		restore: func(what string) error { return restoreObject(t, moto, key, what) },
	}
}

// s3Operation names requests of the S3 backend as tfOperation names those of
// the http backend.
func s3Operation(r *http.Request, key string) string {
	if target := r.Header.Get("X-Amz-Target"); target != "" {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return "unreadable"
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		_, op, _ := strings.Cut(target, ".")
		switch digest := bytes.Contains(body, []byte("-md5")); {
		case op == "PutItem" && digest:
			return "digest"
		case op == "PutItem":
			return "lock"
		case op == "DeleteItem":
			return "unlock"
		}
		return op
	}
	switch {
	case strings.HasSuffix(r.URL.Path, ".tflock") && r.Method == "PUT":
		return "lock"
	case strings.HasSuffix(r.URL.Path, ".tflock") && r.Method == "DELETE":
		return "unlock"
	case r.Method == "PUT" && strings.HasSuffix(r.URL.Path, "/"+key):
		return "post"
	}
	return r.Method
}

// prepareS3 makes a bucket for states, with versions, and a table for locks.
func prepareS3(t *testing.T, moto string) {
	t.Helper()
	const versioned = `<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>Enabled</Status></VersioningConfiguration>`
	if status, body := askS3(t, "PUT", moto+"/states", ""); status != http.StatusOK {
		t.Fatalf("make a bucket: %d %s", status, body)
	}
	if status, body := askS3(t, "PUT", moto+"/states?versioning", versioned); status != http.StatusOK {
		t.Fatalf("have it keep versions: %d %s", status, body)
	}
	_, err := lockTable(moto).CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("locks"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("LockID"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("LockID"), KeyType: types.KeyTypeHash}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// askS3 sends a request and gives the status and the body of the answer.
func askS3(t *testing.T, method, url, send string) (int, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), method, url, strings.NewReader(send))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=none")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, body
}

func lockTable(moto string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: &moto, Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	})
}

// storedLock gives the lock of a state, from where it is.
func storedLock(t *testing.T, moto, key string) []byte {
	t.Helper()
	if status, body := askS3(t, "GET", moto+"/states/"+key+".tflock", ""); status == http.StatusOK {
		return body
	}
	got, err := lockTable(moto).GetItem(context.WithoutCancel(t.Context()), &dynamodb.GetItemInput{
		TableName: aws.String("locks"), Key: map[string]types.AttributeValue{"LockID": &types.AttributeValueMemberS{Value: "states/" + key}},
	})
	if err != nil {
		t.Fatal(err)
	}
	info, _ := got.Item["Info"].(*types.AttributeValueMemberS)
	if info == nil {
		return nil
	}
	return []byte(info.Value)
}

// restoreObject makes the version of an object current again in which the thing
// is what, as one does with S3: by writing it anew.
func restoreObject(t *testing.T, moto, key, what string) error {
	t.Helper()
	var list struct {
		Version []struct{ Key, VersionId string } //nolint:staticcheck // S3's name
	}
	status, body := askS3(t, "GET", moto+"/states?versions&prefix="+key, "")
	if err := xml.Unmarshal(body, &list); err != nil || status != http.StatusOK {
		t.Fatalf("the versions of %s: %d %s", key, status, body)
	}
	for _, v := range list.Version {
		if v.Key != key {
			continue
		}
		_, state := askS3(t, "GET", moto+"/states/"+key+"?versionId="+v.VersionId, "")
		if changeIn(t, state) != what {
			continue
		}
		if status, body := askS3(t, "PUT", moto+"/states/"+key, string(state)); status != http.StatusOK {
			return fmt.Errorf("%d %s", status, body)
		}
		return nil
	}
	return fmt.Errorf("no version of %d is %s", len(list.Version), what)
}
