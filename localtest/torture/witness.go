package torture

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"sync"

	"github.com/statelock/statelock/localtest/history"
)

// witness is an http.RoundTripper next to the database, behind all faults. It
// keeps every lock item that a write replaced.
type witness struct {
	next http.RoundTripper

	mu     sync.Mutex
	images []history.Image
}

// RoundTrip passes the request on and looks at the reply.
func (w *witness) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := w.next.RoundTrip(r)
	if err != nil || resp.StatusCode != http.StatusOK || r.Header.Get("X-Amz-Target") != "DynamoDB_20120810.UpdateItem" {
		return resp, err
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, w.saw(body)
}

// text and number are attributes in DynamoDB's JSON.
type (
	text   struct{ S string }
	number struct{ N string }
)

// saw keeps the item that an UpdateItem's reply shows.
func (w *witness) saw(reply []byte) error {
	var shown struct {
		Attributes *struct {
			Workspace text   `json:"ws"`
			State     text   `json:"st"`
			LockID    text   `json:"lock_id"`
			Runner    text   `json:"runner"`
			Holders   number `json:"holders"`
			Fence     number `json:"fence"`
		}
	}
	if err := json.Unmarshal(reply, &shown); err != nil {
		return err
	}
	a := shown.Attributes
	if a == nil {
		return nil // the write made the item
	}
	holders, err := strconv.ParseInt(a.Holders.N, 10, 64)
	if err != nil {
		return err
	}
	fence, err := strconv.ParseInt(a.Fence.N, 10, 64)
	if err != nil {
		return err
	}
	w.keep(history.Image{
		Workspace: a.Workspace.S, State: a.State.S, Holders: holders, Fence: fence, LockID: a.LockID.S, Runner: a.Runner.S,
	})
	return nil
}

func (w *witness) keep(im history.Image) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.images = append(w.images, im)
}
