package lambdaruntime

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
)

// response is what a function answers in payload format 2.0.
type response struct {
	StatusCode      int               `json:"statusCode"`
	Headers         map[string]string `json:"headers"`
	Cookies         []string          `json:"cookies"`
	Body            string            `json:"body"`
	IsBase64Encoded bool              `json:"isBase64Encoded"`
}

// respond sends the function's answer to the client. JSON without a status
// code is the body of a 200; what can't be understood is the function's error.
func respond(w http.ResponseWriter, answer []byte) {
	if !json.Valid(answer) {
		message(w, http.StatusInternalServerError, "Internal Server Error")
		return
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(answer, &fields) != nil || fields["statusCode"] == nil {
		w.Header().Set("Content-Type", "application/json")
		w.Write(answer) //nolint:errcheck // a client that is gone is told nothing
		return
	}
	var a response
	err := json.Unmarshal(answer, &a)
	body := []byte(a.Body)
	if err == nil && a.IsBase64Encoded {
		body, err = base64.StdEncoding.DecodeString(a.Body)
	}
	if err != nil || a.StatusCode < 200 || a.StatusCode > 599 {
		message(w, http.StatusInternalServerError, "Internal Server Error")
		return
	}
	for name, value := range a.Headers {
		w.Header().Set(name, value)
	}
	for _, cookie := range a.Cookies {
		w.Header().Add("Set-Cookie", cookie)
	}
	w.WriteHeader(a.StatusCode)
	w.Write(body) //nolint:errcheck // a client that is gone is told nothing
}
