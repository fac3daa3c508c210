// Withengine runs a command against DynamoDB engines that are not ours:
//
//	withengine dynalite -- go test ./pkg/ddbstore/...
//	withengine all -- go test ./pkg/ddbstore/...
//	withengine -install dynalite,moto
//
// For each engine named it starts a fresh one, runs the command with
// STATELOCK_TEST_ENDPOINT set to its URL, and stops it. For a slow engine it sets
// STATELOCK_TEST_EVERY too, where that is not set. With -install it first puts
// the engines into the user's cache folder; without a command that is all.
//
// An engine that is not installed is skipped by name, and fails the run where
// the environment variable CI is set. It ends with status 1 if any run failed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"github.com/statelock/statelock/localtest/engines"
	"github.com/statelock/statelock/localtest/testdb"
)

// everyOfSlow leaves a slow engine this part of the longest tests, which would
// take it ten minutes.
const everyOfSlow = "5"

func main() {
	install := flag.Bool("install", false, "install the engines first")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: withengine [-install] NAME[,NAME…]|all [-- COMMAND ARGUMENT…]")
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *install, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "withengine:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, install bool, args []string) error {
	if len(args) == 0 {
		return errors.New("name an engine, or all")
	}
	chosen, err := choose(args[0])
	if err != nil {
		return err
	}
	command := args[1:]
	if len(command) > 0 && command[0] == "--" {
		command = command[1:]
	}
	if len(command) == 0 && !install {
		return errors.New("nothing to do: give a command, or -install")
	}
	var failed []error
	for _, e := range chosen {
		if err := runOne(ctx, e, install, command); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", e.Name, err))
		}
	}
	return errors.Join(failed...)
}

func choose(names string) ([]engines.Engine, error) {
	if names == "all" {
		return engines.All(), nil
	}
	var chosen []engines.Engine
	for name := range strings.SplitSeq(names, ",") {
		e, err := engines.ByName(name)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, e)
	}
	return chosen, nil
}

func runOne(ctx context.Context, e engines.Engine, install bool, command []string) error {
	if install {
		fmt.Printf("== %s %s: installing\n", e.Name, e.Version)
		if err := e.Install(ctx, os.Stdout); err != nil {
			return err
		}
	}
	if len(command) == 0 {
		return nil
	}
	s, err := e.Start(ctx, engines.Options{})
	if _, missing := errors.AsType[*engines.NotInstalledError](err); missing && os.Getenv("CI") == "" {
		fmt.Printf("== skipped: %v\n", err)
		return nil
	}
	if err != nil {
		return err
	}
	fmt.Printf("== %s %s: %s\n", e.Name, e.Version, strings.Join(command, " "))
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = environment(e, s.URL)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return errors.Join(cmd.Run(), s.Stop())
}

// environment is that of a command for the engine at url.
func environment(e engines.Engine, url string) []string {
	env := append(os.Environ(), testdb.EndpointVariable+"="+url)
	if _, set := os.LookupEnv(testdb.EveryVariable); e.Slow && !set {
		env = append(env, testdb.EveryVariable+"="+everyOfSlow)
	}
	return env
}
