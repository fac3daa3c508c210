package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/statelock/statelock/pkg/client"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// Exit codes. docs/cli.md tells users.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitHeld        = 3   // a hold stands in the way
	exitRefused     = 4   // refused otherwise
	exitUnreachable = 5   // no answer from the service
	exitLost        = 6   // run: the lock was lost while the command ran
	exitNotRunnable = 126 // run: as the shell's
	exitNotFound    = 127 // run: as the shell's
	exitSignalled   = 128 // and the signal's number, as the shell's
)

// begunError is an error of a command whose flags and arguments were understood.
type begunError struct{ error }

func (e begunError) Unwrap() error { return e.error }

// usageError is a wrong flag or argument.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// exitError asks for an exit code. Without an error there is nothing to say.
type exitError struct {
	code int
	err  error
}

func (e exitError) Error() string { return fmt.Sprintf("exit %d: %v", e.code, e.err) }

func exitCode(err error) int {
	var (
		exit        exitError
		usage       usageError
		field       *lockmodel.FieldError
		held        *client.HeldError
		refused     *client.RefusedError
		unreachable *client.UnreachableError
	)
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &usage), errors.As(err, &field):
		return exitUsage
	case errors.As(err, &held):
		return exitHeld
	case errors.As(err, &refused) && refused.Field != "":
		return exitUsage
	case errors.As(err, &refused):
		return exitRefused
	case errors.Is(err, context.Canceled):
		return exitSignalled + 2
	case errors.As(err, &unreachable):
		return exitUnreachable
	}
	return exitFailed
}

// report says what went wrong, to a person or as JSON, and gives the exit code.
func report(c *cobra.Command, err error) int {
	if _, ok := errors.AsType[begunError](err); err != nil && !ok {
		err = usageError{err}
	}
	code := exitCode(err)
	if exit, ok := errors.AsType[exitError](err); ok {
		err = exit.err
	}
	if err == nil {
		return code
	}
	_, usage := errors.AsType[usageError](err)
	if asJSON, _ := c.Flags().GetBool(flagJSON); asJSON && !usage {
		if json.NewEncoder(c.OutOrStdout()).Encode(failure(err)) == nil {
			return code
		}
	}
	fmt.Fprintln(c.ErrOrStderr(), "statelock: "+err.Error())
	return code
}

// failure is an error as the service would say it.
func failure(err error) any {
	if held, ok := errors.AsType[*client.HeldError](err); ok {
		return lockmodel.Answer{Code: held.Code, Reason: held.Reason, Lock: held.Holder}
	}
	f := struct {
		OK     bool   `json:"ok"` // false
		Code   string `json:"code"`
		Reason string `json:"reason"`
		Field  string `json:"field,omitempty"`
	}{Code: "failed", Reason: err.Error()}
	if refused, ok := errors.AsType[*client.RefusedError](err); ok {
		if refused.Lock.Workspace != "" {
			return lockmodel.Answer{Code: refused.Code, Reason: refused.Reason, Lock: refused.Lock}
		}
		f.Code, f.Reason, f.Field = cmp.Or(string(refused.Code), "refused"), refused.Reason, refused.Field
	} else if bad, ok := errors.AsType[*lockmodel.FieldError](err); ok {
		f.Code, f.Field = "bad_request", bad.Field
	} else if exitCode(err) == exitUnreachable {
		f.Code = "unreachable"
	}
	return f
}
