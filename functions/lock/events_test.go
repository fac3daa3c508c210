package main

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// seen is what the service sees of a recorded event.
type seen struct {
	Method, Path, RawPath, Query string
	Host, Remote                 string
	Header                       http.Header
	Body                         string
	Who                          caller
}

// forwarded adds to h what the gateways of the recorded events all add.
func forwarded(h http.Header) http.Header {
	h.Set("X-Forwarded-For", "203.0.113.24")
	h.Set("X-Forwarded-Port", "443")
	h.Set("X-Forwarded-Proto", "https")
	return h
}

const trace = "Root=1-66f0a1b2-0123456789abcdef01234567"

func TestRecordedEventsBecomeRequests(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]seen{
		"http_api_v2_acquire.json": {
			Method: "POST", Path: "/v1/acquire",
			Host: "a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com", Remote: "203.0.113.24:0",
			Header: forwarded(http.Header{
				"Accept": {"*/*"}, "Content-Length": {"38"}, "Content-Type": {"application/json"},
				"Idempotency-Key": {"run-4711-acquire"}, "User-Agent": {"curl/8.7.1"}, "X-Amzn-Trace-Id": {trace},
			}),
			Body: `{"ws":"prod","runner":"ci-runner-7"}` + "\r\n",
			Who:  caller{requestID: "ExAmPlE0PHcESJw="},
		},
		// The stage is called like the first segment of the routes. Commas in
		// header values are nobody's separators any more.
		"http_api_v2_stage.json": {
			Method: "GET", Path: "/v1/locks/team-a/network",
			Query: "state=held&state=stale&prefix=team-a%2F&empty=",
			Host:  "a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com", Remote: "[2001:db8::17]:0",
			Header: http.Header{
				"Accept": {"application/json, text/plain;q=0.5"}, "Content-Length": {"0"},
				"Cookie": {"session=abc123; theme=dark"}, "If-Modified-Since": {"Sun, 22 Sep 2024 10:00:00 GMT"},
				"X-Amzn-Trace-Id": {trace}, "X-Forwarded-For": {"2001:db8::17"}, "X-Forwarded-Port": {"443"},
				"X-Forwarded-Proto": {"https"}, "X-Tag": {"one,two"},
			},
			Who: caller{requestID: "ExAmPlE1PHcESJw="},
		},
		// An HTTP API has decoded the path: "?" and "%" are part of it.
		"http_api_v2_custom_domain.json": {
			Method: "GET", Path: "/v1/locks/team a?b%c",
			Host: "locks.example.com", Remote: "203.0.113.24:0",
			Header: forwarded(http.Header{"Content-Length": {"0"}, "X-Amzn-Trace-Id": {trace}}),
			Who:    caller{requestID: "ExAmPlE2PHcESJw="},
		},
		"http_api_v2_jwt.json": {
			Method: "POST", Path: "/v1/release",
			Host: "a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com", Remote: "203.0.113.24:0",
			Header: forwarded(http.Header{
				"Authorization": {"Bearer header.payload.signature"}, "Content-Length": {"13"}, "Content-Type": {"application/json"},
			}),
			Body: `{"ws":"prod"}`,
			Who: caller{
				principal: "jwt:https://token.actions.githubusercontent.com|repo:example/infra:ref:refs/heads/main",
				requestID: "ExAmPlE3PHcESJw=",
			},
		},
		// A body without a content type comes as base64.
		"http_api_v2_iam.json": {
			Method: "POST", Path: "/v1/acquire",
			Host: "a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com", Remote: "203.0.113.24:0",
			Header: forwarded(http.Header{
				"Authorization": {"AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20240922/eu-central-1/execute-api/aws4_request, " +
					"SignedHeaders=host;x-amz-date, Signature=00"},
				"Content-Length": {"36"}, "X-Amz-Date": {"20240922T231410Z"},
			}),
			Body: `{"ws":"prod","runner":"ci-runner-7"}`,
			Who: caller{
				principal: "iam:arn:aws:sts::111122223333:assumed-role/ci-apply/run-4711",
				requestID: "ExA/PlE4PHcESJw=",
			},
		},
		"http_api_v1_release.json": {
			Method: "POST", Path: "/v1/release",
			Host: "a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com", Remote: "203.0.113.24:0",
			Header: forwarded(http.Header{
				"Content-Length": {"13"}, "Content-Type": {"application/json"}, "User-Agent": {"curl/8.7.1"},
			}),
			Body: `{"ws":"prod"}`,
			Who:  caller{principal: "jwt:https://issuer.example.com/|auth0|5fe435b5", requestID: "ExAmPlE5PHcESJw="},
		},
		// Stage "v1" is not in a REST API's path; repeated values are apart.
		"rest_v1_mark_stale.json": {
			Method: "POST", Path: "/v1/mark-stale", RawPath: "/v1/mark-stale",
			Query: "literal=a+b&plus=a%2Bb&repeat=one&repeat=two",
			Host:  "f6g7h8i9j0.execute-api.eu-central-1.amazonaws.com", Remote: "203.0.113.24:0",
			Header: forwarded(http.Header{
				"Content-Type": {"application/json"}, "Cookie": {"session=abc123; theme=dark"}, "User-Agent": {"curl/8.7.1"},
				"X-Amzn-Trace-Id": {trace}, "X-Tag": {"one", "two, three"},
			}),
			Body: `{"ws":"prod"}`,
			Who:  caller{requestID: "7c2af7db-31f3-42b5-8a6d-9ffc74e3b9e0"},
		},
		"rest_v1_iam_base_path.json": {
			Method: "GET", Path: "/v1/locks/team-a/network", RawPath: "/v1/locks/team-a%2Fnetwork",
			Host: "api.example.com", Remote: "203.0.113.24:0",
			Header: forwarded(http.Header{"User-Agent": {"aws-sdk"}}),
			Who: caller{
				principal: "iam:arn:aws:iam::111122223333:user/jane",
				requestID: "8d3bf8ec-42a4-43c6-9b7e-0aad85f4cae1",
			},
		},
		"rest_v1_cognito.json": {
			Method: "POST", Path: "/v1/acquire/", RawPath: "/v1/acquire/",
			Host: "f6g7h8i9j0.execute-api.eu-central-1.amazonaws.com", Remote: "203.0.113.24:0",
			Header: http.Header{},
			Body:   `{}`,
			Who: caller{
				principal: "jwt:https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_EXAMPLE|a9b8c7d6-0000-4000-8000-000000000001",
				requestID: "9e4c09fd-53b5-44d7-8c8f-1bbe96a5dbf2",
			},
		},
		// The cookies are in the event twice, in the request once.
		"function_url_force_unlock.json": {
			Method: "POST", Path: "/v1/force-unlock", RawPath: "/v1/force-unlock",
			Host: "abcdefghijklmnopqrstuvwxyz012345.lambda-url.eu-central-1.on.aws", Remote: "203.0.113.24:0",
			Header: forwarded(http.Header{
				"Content-Length": {"13"}, "Content-Type": {"application/json"}, "Cookie": {"session=abc123; theme=dark"},
				"X-Amzn-Tls-Version": {"TLSv1.3"}, "X-Amzn-Trace-Id": {trace},
			}),
			Body: `{"ws":"prod"}`,
			Who: caller{
				principal: "iam:arn:aws:iam::111122223333:user/operator",
				requestID: "d16a6b55-dea9-4b23-8499-eb85c3d2d904",
			},
		},
		"function_url_encoded_path.json": {
			Method: "GET", Path: "/v1/locks/team-a/network", RawPath: "/v1/locks/team%2Da%2Fnetwork",
			Query: "x=a%20b+c",
			Host:  "abcdefghijklmnopqrstuvwxyz012345.lambda-url.eu-central-1.on.aws", Remote: "203.0.113.24:0",
			Header: forwarded(http.Header{}),
			Who:    caller{requestID: "e27b7c66-efba-4c34-959a-fc96d4e3ea15"},
		},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			event := recorded(t, file)
			read := inboundV2
			if k := kindOf(event); k == kindREST || k == kindHTTPAPIv1 {
				read = inboundV1
			}
			in, who, err := read(event, kindOf(event))
			if err != nil {
				t.Fatal(err)
			}
			r, err := in.request()
			if err != nil {
				t.Fatal(err)
			}
			got := seen{
				Method: r.Method, Path: r.URL.Path, RawPath: r.URL.RawPath, Query: r.URL.RawQuery,
				Host: r.Host, Remote: r.RemoteAddr, Header: r.Header, Body: readAll(t, r.Body), Who: who,
			}
			if r.ContentLength != int64(len(got.Body)) {
				t.Errorf("content length %d of a body of %d", r.ContentLength, len(got.Body))
			}
			if r.RequestURI != r.URL.RequestURI() {
				t.Errorf("request URI %q of %v", r.RequestURI, r.URL)
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(caller{})); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
