package engines

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"reflect"
	"strconv"
)

// dynoxideProxy leads to the dynoxide at program and mends one answer. An
// UpdateItem that makes an item has no old one to return: "If you update a
// nonexistent item (upsert), ALL_OLD has no effect", says "Working with items
// and attributes in DynamoDB". Dynoxide 3.2.0 returns the key as if it had been
// an item.
//
// The mend takes an old item that is the key alone for none. So it is wrong
// about an item that really had nothing but its key, which can't be told apart.
func dynoxideProxy(program *url.URL) http.Handler {
	proxy := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(program) },
		ModifyResponse: dropKeyAsOldItem,
	}
	return detached(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Amz-Target") == "DynamoDB_20120810.UpdateItem" {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				http.Error(w, "unreadable request", http.StatusBadRequest)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			var update struct {
				Key          map[string]any
				ReturnValues string
			}
			// What isn't well-formed is dynoxide's to refuse.
			if json.Unmarshal(body, &update) == nil && update.ReturnValues == "ALL_OLD" {
				r = r.WithContext(context.WithValue(r.Context(), updatedKey{}, update.Key))
			}
		}
		proxy.ServeHTTP(w, r)
	}))
}

// updatedKey is what the context of an UpdateItem that asks for the old item
// holds its key under.
type updatedKey struct{}

// dropKeyAsOldItem is a ReverseProxy's ModifyResponse.
func dropKeyAsOldItem(resp *http.Response) error {
	key, ok := resp.Request.Context().Value(updatedKey{}).(map[string]any)
	if !ok || resp.StatusCode != http.StatusOK {
		return nil
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if err := resp.Body.Close(); err != nil {
		return err
	}
	var answer map[string]any
	if err := json.Unmarshal(body, &answer); err != nil {
		return fmt.Errorf("dynoxide's answer: %w", err)
	}
	if reflect.DeepEqual(answer["Attributes"], any(key)) {
		delete(answer, "Attributes")
		if body, err = json.Marshal(answer); err != nil {
			return err
		}
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
	resp.Header.Set("Content-Length", strconv.Itoa(len(body)))
	// Clients check it.
	resp.Header.Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10))
	return nil
}
