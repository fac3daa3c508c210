package main

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/statelock/statelock/pkg/client"
)

// clockTolerance is the difference of clocks that the doctor does not mention
// as a fault: the Date of an answer is in whole seconds, and travels.
const clockTolerance = 5 * time.Second

// finding is what the doctor found out about one thing.
type finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

func doctorCommand() *cobra.Command {
	var s serviceOptions
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check that the service answers, lets you in, and has a clock like yours",
		Long: `Check that the service answers, lets you in, and has a clock like yours. With
--table, check the table instead. Nothing about any lock is changed.

Ends with 0 if all is well, else as other commands do, with 5 for no answer.`,
		Args: cobra.NoArgs,
		RunE: untilSignal(func(c *cobra.Command) error {
			dates := &dateKeeper{next: http.DefaultTransport}
			s.transport = dates
			findings, err := s.examine(c, dates)
			show := printFindings
			if s.json {
				show = printFindingsJSON
			}
			if err := show(c.OutOrStdout(), findings); err != nil {
				return err
			}
			return said(err)
		}),
	}
	s.flags(c.Flags())
	return c
}

// said is an error that the findings told of.
func said(err error) error {
	if err == nil {
		return nil
	}
	return exitError{code: exitCode(err)}
}

// examine looks at one thing after the other, as far as the last allows; the
// error is of the first that is not well.
func (o *serviceOptions) examine(c *cobra.Command, dates *dateKeeper) ([]finding, error) {
	var findings []finding
	found := func(check string, err error, detail string) error {
		if err != nil {
			detail = err.Error()
		}
		findings = append(findings, finding{check, err == nil, detail})
		return err
	}
	cl, err := o.connect(c)
	if o.table != "" {
		if found("table", err, o.table+" is there and behaves like DynamoDB") != nil {
			return findings, err
		}
	} else if found("settings", err, "the service is "+o.url) != nil {
		return findings, err
	}
	sent := time.Now()
	for _, err = range cl.List(c.Context(), client.Query{Page: 1}) {
		break
	}
	if found("answer", err, fmt.Sprintf("locks can be read; it took %s", time.Since(sent).Round(time.Millisecond))) != nil {
		return findings, err
	}
	if date := dates.last.Load(); date != nil {
		apart := time.Until(*date).Abs()
		if apart > clockTolerance {
			err = fmt.Errorf("this machine's clock and the service's are %s apart: leases are the service's, ages shown here are wrong", apart.Round(time.Second))
		}
		if found("clock", err, "within "+clockTolerance.String()+" of the service's") != nil {
			return findings, err
		}
	}
	return findings, nil
}

func printFindingsJSON(w io.Writer, findings []finding) error {
	return printJSON(w, struct {
		OK       bool      `json:"ok"`
		Findings []finding `json:"findings"`
	}{!slices.ContainsFunc(findings, func(f finding) bool { return !f.OK }), findings})
}

func printFindings(w io.Writer, findings []finding) error {
	for _, f := range findings {
		mark := "ok  "
		if !f.OK {
			mark = "FAIL"
		}
		if _, err := fmt.Fprintf(w, "%s  %-8s  %s\n", mark, f.Check, f.Detail); err != nil {
			return err
		}
	}
	return nil
}

// dateKeeper remembers the Date of the last answer.
type dateKeeper struct {
	next http.RoundTripper
	last atomic.Pointer[time.Time]
}

// RoundTrip sends a request.
func (k *dateKeeper) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := k.next.RoundTrip(r)
	if err == nil {
		if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
			k.last.Store(&date)
		}
	}
	return resp, err
}
