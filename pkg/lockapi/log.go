package lockapi

import (
	"log/slog"
	"net/http"
	"time"
)

// Logged logs a line for each request that next has answered, with nothing of
// its body or of its headers but the request id.
func Logged(next http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(seen, r)
		log.LogAttrs(r.Context(), slog.LevelInfo, "request",
			slog.String("method", r.Method), slog.String("route", r.Pattern), slog.String("path", clip(r.URL.Path)),
			slog.Int("status", seen.status), slog.Int64("us", time.Since(start).Microseconds()),
			slog.String("request_id", clip(w.Header().Get("X-Request-Id"))))
	})
}

// statusWriter remembers the status that is sent.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap gives http.ResponseController the writer below.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
