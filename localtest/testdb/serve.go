package testdb

import (
	"io"
	"log"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
)

// Serve gives the URL at which another process finds the table, which may be in
// this one. Its requests go as those of DB.Client do.
func (db *DB) Serve(t testing.TB) string {
	t.Helper()
	client := db.Client.Options()
	target, err := url.Parse(*client.BaseEndpoint)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.RequestURI = "" // of a server's request; a client's has none
		},
		Transport: roundTrip(client.HTTPClient.Do),
		ErrorLog:  log.New(io.Discard, "", 0), // of clients that were killed
	})
	t.Cleanup(server.Close)
	return server.URL
}
