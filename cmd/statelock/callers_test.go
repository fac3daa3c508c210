package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// certificate makes one for 127.0.0.1, signed by itself.
func certificate(t *testing.T) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, data []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	parsed, err := x509.ParseCertificate(signed)
	if err != nil {
		t.Fatal(err)
	}
	pool = x509.NewCertPool()
	pool.AddCert(parsed)
	return write("cert.pem", "CERTIFICATE", signed), write("key.pem", "PRIVATE KEY", encoded), pool
}

// With --credentials and a certificate, callers come over TLS, by any name, and
// must show a token.
func TestServeWithCredentialsOverTLS(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "locks")
	made, err := exec.CommandContext(t.Context(), "statelock", "token", "create", "--data", data, "--name", "ci", "--ws", "team/**").Output()
	if err != nil {
		t.Fatal(err)
	}
	cert, key, pool := certificate(t)
	s := serve(t, "--data="+data, "--credentials", "--tls-cert="+cert, "--tls-key="+key)
	if !strings.HasPrefix(s.url, "https://") {
		t.Errorf("serving at %s", s.url)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	lock := func(ws, password string) int {
		r, err := http.NewRequestWithContext(t.Context(), "LOCK", s.url+"/v1/tf/"+ws, strings.NewReader(`{"ID":"id-a","Who":"ann"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "locks.example.com"
		if password != "" {
			r.SetBasicAuth("ci", password)
		}
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode
	}
	token := strings.TrimSpace(string(made))
	for _, c := range []struct {
		ws, password string
		want         int
	}{{"team/prod", "", 401}, {"team/prod", token + "x", 401}, {"other/prod", token, 403}, {"team/prod", token, 200}} {
		if got := lock(c.ws, c.password); got != c.want {
			t.Errorf("LOCK of %s: %d, want %d", c.ws, got, c.want)
		}
	}
	s.stop(t, syscall.SIGTERM)
}
