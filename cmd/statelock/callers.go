package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/statelock/statelock/pkg/auth"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
)

// callerOptions are the flags of serve about who may call.
type callerOptions struct {
	ask         bool
	issuers     string
	certificate string
	key         string
	behindProxy bool
}

func (o *callerOptions) flags(f *pflag.FlagSet) {
	f.BoolVar(&o.ask, "credentials", false, "ask every caller for a credential: a token, or a JWT of --issuers")
	f.StringVar(&o.issuers, "issuers", "", "JSON file of the OIDC issuers whose JWTs are taken; asks every caller for a credential")
	f.StringVar(&o.certificate, "tls-cert", "", "PEM file of the server's certificate")
	f.StringVar(&o.key, "tls-key", "", "PEM file of its key")
	f.BoolVar(&o.behindProxy, "behind-proxy", false, "serve other machines without TLS, which a proxy has")
}

func (o *callerOptions) asks() bool { return o.ask || o.issuers != "" }

// check refuses to let other machines in unasked, or to read their secrets off
// an open wire.
func (o *callerOptions) check(address string) error {
	host, _, err := net.SplitHostPort(address)
	switch {
	case err != nil:
		return fmt.Errorf("--listen %s: %w", address, err)
	case isLoopback(host):
		return nil
	case !o.asks():
		return fmt.Errorf("--listen %s: other machines can reach it, and nobody would be asked for a credential: add --credentials or --issuers, or listen on a loopback address, such as 127.0.0.1:8420", address)
	case o.certificate == "" && !o.behindProxy:
		return fmt.Errorf("--listen %s: credentials would cross the network in the open: add --tls-cert and --tls-key, or --behind-proxy where a proxy has TLS", address)
	}
	return nil
}

// credentials are those that callers are asked for, nil for none.
func (o *callerOptions) credentials(ctx context.Context, client ddbstore.TokenClient, table string) (lockapi.Credentials, error) {
	if !o.asks() {
		return nil, nil //nolint:nilnil // nobody is asked, and nothing wrong
	}
	var issuers []auth.Issuer
	if o.issuers != "" {
		doc, err := os.ReadFile(o.issuers)
		if err == nil {
			issuers, err = auth.ParseIssuers(doc)
		}
		if err != nil {
			return nil, usageError{fmt.Errorf("--issuers: %w", err)}
		}
	}
	tokens := &ddbstore.Tokens{Client: client, Table: table}
	if len(issuers) == 0 {
		all, err := tokens.List(ctx)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(all, func(t auth.Token) bool { return t.Lapse(time.Now()) == "" }) {
			return nil, usageError{errors.New("--credentials: there is no token that anybody could bring: make one first, see statelock token create --help")}
		}
	}
	return auth.New(tokens, issuers, auth.Options{})
}

// guard keeps web pages out. Where callers are asked who they are, the server may
// go by any name.
func (o *callerOptions) guard(api http.Handler) http.Handler {
	if o.asks() {
		return http.NewCrossOriginProtection().Handler(api)
	}
	return local(api)
}

func (o *callerOptions) scheme() string {
	if o.certificate != "" {
		return "https"
	}
	return "http"
}

func (o *callerOptions) serve(server *http.Server, listener net.Listener) error {
	if o.certificate != "" {
		return server.ServeTLS(listener, o.certificate, o.key)
	}
	return server.Serve(listener)
}
