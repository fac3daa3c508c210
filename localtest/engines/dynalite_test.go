package engines

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A client that breaks off its request must not take the engine down for the
// others, as it does with dynalite alone.
func TestDynaliteOutlivesBrokenRequest(t *testing.T) {
	t.Parallel()
	url := Dynalite.ForTest(t, Options{})
	db := connect(url)
	createTable(t, db)
	put(t, db, item("a", "v1"))

	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.Write([]byte("POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-amz-json-1.0\r\n" +
		"X-Amz-Target: DynamoDB_20120810.PutItem\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n{"))
	if err != nil {
		t.Fatal(err)
	}
	// The engine is in the request once it asks for the rest of it.
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).SetLinger(0); err != nil { // a reset, not a tidy end
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}

	// A new connection, accepted after the broken one: the reset has been seen
	// by the time its answer comes.
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if diff := cmp.Diff(item("a", "v1"), get(t, db, "a"), compareItems); diff != "" {
		t.Errorf("after a broken request (-want +got):\n%s", diff)
	}
}
