package main

import (
	"net"
	"net/http"

	"github.com/statelock/statelock/pkg/lockapi"
)

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
