package lambdaruntime

import (
	"crypto/rand"
	"encoding/base64"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
)

// event is an event of payload format 2.0: see "Create AWS Lambda proxy
// integrations for HTTP APIs in API Gateway". The types are this package's own
// so that a function that reads events with a library's is checked against the
// documentation and not against that library.
type event struct {
	Version               string            `json:"version"`
	RouteKey              string            `json:"routeKey"`
	RawPath               string            `json:"rawPath"`
	RawQueryString        string            `json:"rawQueryString"`
	Cookies               []string          `json:"cookies,omitempty"`
	Headers               map[string]string `json:"headers"`
	QueryStringParameters map[string]string `json:"queryStringParameters,omitempty"`
	RequestContext        eventContext      `json:"requestContext"`
	Body                  string            `json:"body,omitempty"`
	IsBase64Encoded       bool              `json:"isBase64Encoded"`
}

type eventContext struct {
	AccountID    string         `json:"accountId"`
	APIID        string         `json:"apiId"`
	Authorizer   map[string]any `json:"authorizer,omitempty"`
	DomainName   string         `json:"domainName"`
	DomainPrefix string         `json:"domainPrefix"`
	HTTP         eventHTTP      `json:"http"`
	RequestID    string         `json:"requestId"`
	RouteKey     string         `json:"routeKey"`
	Stage        string         `json:"stage"`
	Time         string         `json:"time"`
	TimeEpoch    int64          `json:"timeEpoch"`
}

type eventHTTP struct {
	Method    string `json:"method"`
	Path      string `json:"path"`
	Protocol  string `json:"protocol"`
	SourceIP  string `json:"sourceIp"`
	UserAgent string `json:"userAgent"`
}

// newEvent describes the request r, whose body has been read.
func newEvent(r *http.Request, path, stage string, body []byte) event {
	now := time.Now().UTC()
	domain := r.Host
	if host, _, err := net.SplitHostPort(domain); err == nil {
		domain = host
	}
	prefix, _, _ := strings.Cut(domain, ".")
	sourceIP, _, _ := net.SplitHostPort(r.RemoteAddr)
	e := event{
		Version:               "2.0",
		RouteKey:              "$default",
		RawPath:               path,
		RawQueryString:        r.URL.RawQuery,
		Cookies:               cookies(r.Header),
		Headers:               headers(r, domain, sourceIP),
		QueryStringParameters: parameters(r.URL.Query()),
		RequestContext: eventContext{
			AccountID:    account,
			APIID:        prefix,
			DomainName:   domain,
			DomainPrefix: prefix,
			HTTP: eventHTTP{
				Method:    r.Method,
				Path:      path,
				Protocol:  r.Proto,
				SourceIP:  sourceIP,
				UserAgent: r.UserAgent(),
			},
			RequestID: requestID(),
			RouteKey:  "$default",
			Stage:     stage,
			Time:      now.Format("02/Jan/2006:15:04:05 -0700"),
			TimeEpoch: now.UnixMilli(),
		},
	}
	if isText(r.Header) && utf8.Valid(body) {
		e.Body = string(body)
	} else if len(body) > 0 {
		e.Body, e.IsBase64Encoded = base64.StdEncoding.EncodeToString(body), true
	}
	return e
}

// rawPath returns the path of u as rawPath has it, which is not raw: decoded,
// cut at a "?" that then shows, and decoded again; a path that can't be decoded
// the second time is refused. Not documented; so it was observed in live APIs.
func rawPath(u *url.URL) (string, bool) {
	once, _, _ := strings.Cut(u.Path, "?")
	twice, err := url.PathUnescape(once)
	return twice, err == nil
}

// below reports whether path is that of a stage or below it.
func below(path, stage string) bool {
	rest, ok := strings.CutPrefix(path, "/"+stage)
	return ok && (rest == "" || rest[0] == '/')
}

// headers joins repeated headers with commas, in lower case, and adds the
// gateway's. Cookies have a place of their own.
func headers(r *http.Request, domain, sourceIP string) map[string]string {
	all := make(map[string]string, len(r.Header)+6)
	for name, values := range r.Header {
		all[strings.ToLower(name)] = strings.Join(values, ",")
	}
	delete(all, "cookie")
	delete(all, "connection")
	if before := all["x-forwarded-for"]; before != "" {
		sourceIP = before + ", " + sourceIP
	}
	all["host"] = domain
	all["x-amzn-trace-id"] = traceID()
	all["x-forwarded-for"] = sourceIP
	all["x-forwarded-port"] = "443"
	all["x-forwarded-proto"] = "https"
	return all
}

// cookies lists the cookies as they are written.
func cookies(h http.Header) []string {
	var list []string
	for _, line := range h.Values("Cookie") {
		for cookie := range strings.SplitSeq(line, ";") {
			if cookie = strings.TrimSpace(cookie); cookie != "" {
				list = append(list, cookie)
			}
		}
	}
	return list
}

// parameters joins repeated query parameters with commas.
func parameters(query url.Values) map[string]string {
	if len(query) == 0 {
		return nil
	}
	all := make(map[string]string, len(query))
	for name, values := range query {
		all[name] = strings.Join(values, ",")
	}
	return all
}

// isText reports whether the gateway hands over a body with these headers as
// text. Not documented; observed: text/*, JSON, XML and JavaScript are text,
// and a form or a body without a type isn't.
func isText(h http.Header) bool {
	if h.Get("Content-Encoding") != "" {
		return false
	}
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return false
	}
	switch kind {
	case "application/json", "application/xml", "application/javascript":
		return true
	}
	return strings.HasPrefix(kind, "text/")
}

// requestID returns a new id in the form of an HTTP API's: 16 characters of
// base64, the last being "=".
func requestID() string {
	b := make([]byte, 11)
	rand.Read(b) // never fails
	return base64.StdEncoding.EncodeToString(b)
}
