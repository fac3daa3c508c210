package client

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// View is a lock as the service shows it.
type View = lockmodel.View

// Defaults of Options.
const (
	// DefaultPatience outlasts a restart of the service, not a person's.
	DefaultPatience = 15 * time.Second
	// DefaultTryTimeout is more than API Gateway's function takes to give up.
	DefaultTryTimeout = 10 * time.Second
	DefaultPoll       = 2 * time.Second
)

// NoLease asks for a hold without a lease, also where the service has a default.
const NoLease time.Duration = -1

// Options configure a Client. The zero value is fit for a service that asks
// nobody for credentials.
type Options struct {
	// Credentials say to the service who the caller is; nil says nothing.
	Credentials Credentials
	// Transport sends the requests; nil stands for one like
	// http.DefaultTransport.
	Transport http.RoundTripper
	// Patience is for how long a request is tried that gets no verdict, 0 for
	// DefaultPatience. A held lock's renewals are tried on for as long as it
	// is held.
	Patience time.Duration
	// TryTimeout is after what time one try counts as lost, 0 for
	// DefaultTryTimeout. Renewals are cut off earlier where the lease is short.
	TryTimeout time.Duration
	// Poll is how long a waiter pauses on average before it asks again, 0 for
	// DefaultPoll.
	Poll time.Duration
}

// Client asks one service for locks. Any number of goroutines may use it.
type Client struct {
	base    *url.URL
	options Options
	http    *http.Client
}

// New makes a client of the service at an http or https URL. Credentials are
// not sent over plain http to other machines.
func New(service string, options Options) (*Client, error) {
	base, err := url.Parse(service)
	if err != nil {
		return nil, fmt.Errorf("the service's URL: %w", err)
	}
	switch {
	case base.Scheme != "http" && base.Scheme != "https" || base.Host == "":
		return nil, fmt.Errorf("the service's URL %q: want http://… or https://…", base.Redacted())
	case base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return nil, errors.New("the service's URL must have no user, query or fragment in it")
	case options.Credentials != nil && base.Scheme == "http" && !loopback(base.Hostname()):
		return nil, fmt.Errorf("the service's URL %q: credentials are sent to other machines over https only", base)
	}
	orDefault(&options.Patience, DefaultPatience)
	orDefault(&options.TryTimeout, DefaultTryTimeout)
	orDefault(&options.Poll, DefaultPoll)
	if options.Transport == nil {
		options.Transport = http.DefaultTransport
	}
	return &Client{base: base, options: options, http: &http.Client{
		Transport: options.Transport,
		// A redirected POST comes back as a GET, or elsewhere: neither is asked for.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// NewOnStore makes a client that needs no service: it answers its own requests
// from the table, by the same code and the same conditional writes. It is for
// when the service is down. Transport and Credentials are not used: whoever can
// write to the table is let in, as lockmodel.Anonymous.
func NewOnStore(store lockapi.Store, log *slog.Logger, options Options) *Client {
	options.Credentials = nil
	options.Transport = inProcess{lockapi.New(store, lockapi.Options{Log: log})}
	c, _ := New("http://localhost", options) // a constant that is right
	return c
}

func orDefault(d *time.Duration, value time.Duration) {
	if *d <= 0 {
		*d = value
	}
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
