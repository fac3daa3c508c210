package main

import (
	"fmt"
	"net"
	"net/http"

	"github.com/statelock/statelock/pkg/lockapi"
)

// loopback refuses an address that other machines can reach: the routes ask
// nobody for credentials.
func loopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", address, err)
	}
	if !isLoopback(host) {
		return fmt.Errorf("--listen %s: only a loopback address, such as 127.0.0.1:8420: this server asks nobody for credentials", address)
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// local keeps out what a web page in a browser on this machine may send here:
// requests from another origin, and requests to a name of the page's own that
// was made to point here.
func local(next http.Handler) http.Handler {
	forbidden := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		lockapi.Forbid(w, "this server answers programs on its own machine, not web pages; address it as localhost or 127.0.0.1")
	})
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(forbidden)
	return origin.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if !isLoopback(host) {
			forbidden(w, r)
			return
		}
		next.ServeHTTP(w, r)
	}))
}
