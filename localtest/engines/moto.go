package engines

import (
	"bytes"
	"context"
	"embed"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
)

//go:embed moto/launcher.py moto/requirements.txt
var motoFiles embed.FS

// Moto is github.com/getmoto/moto in server mode, behind our launcher. It keeps
// nothing on disk. Installing it needs Python 3.11 or later with the venv module.
var Moto = Engine{
	Name:    "moto",
	Version: "5.2.5",
	Slow:    true,
	pins:    motoFiles,
	install: func(ctx context.Context, dir string, log io.Writer) error {
		if err := run(ctx, dir, log, "python3", "-m", "venv", "venv"); err != nil {
			return err
		}
		return run(ctx, dir, log, filepath.Join("venv", "bin", "python3"), "-m", "pip",
			"--disable-pip-version-check", "install", "--quiet", "--requirement", filepath.Join("moto", "requirements.txt"))
	},
	command: func(ctx context.Context, dir string, port int, _ Options) *exec.Cmd {
		return exec.CommandContext(ctx, filepath.Join(dir, "venv", "bin", "python3"),
			filepath.Join(dir, "moto", "launcher.py"), "-H", "127.0.0.1", "-p", strconv.Itoa(port))
	},
	front:      motoProxy,
	memoryOnly: true,
}

// motoProxy leads to the moto at program, for one request at a time. Moto checks
// a condition and writes in two steps, on many threads: without this, a race on
// one item can have several winners.
func motoProxy(program *url.URL) http.Handler {
	return oneAtATime(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(program) },
	})
}

// oneAtATime has next serve each request alone. A turn lasts until next has
// answered, also where the client has gone: giving up a proxied request does not
// end the work on it.
func oneAtATime(next http.Handler) http.Handler {
	turn := make(chan struct{}, 1)
	return detached(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		turn <- struct{}{}
		defer func() { <-turn }()
		next.ServeHTTP(w, r)
	}))
}

// detached reads requests whole before next serves them, and has them served to
// their end, whatever becomes of the client.
func detached(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, "unreadable request", http.StatusBadRequest)
			return
		}
		// The context can be cancelled, if by nobody, because a ReverseProxy that
		// is given one that can't watches the client's connection by itself.
		ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
		defer cancel()
		r = r.WithContext(ctx)
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}
