package main

import (
	"context"
	"fmt"
	"os/signal"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func root() *cobra.Command {
	c := &cobra.Command{
		Use:           "statelock",
		Short:         "A Terraform state lock whose guarantee holds in the DynamoDB write itself",
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		// No Args: with them, cobra looks at the flags of a misspelt command first.
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.SetVersionTemplate("statelock {{.Version}}\n")
	c.AddGroup(&cobra.Group{ID: groupJobs, Title: "For jobs:"}, &cobra.Group{ID: groupPeople, Title: "For people:"}, &cobra.Group{ID: groupService, Title: "The service:"})
	add := func(group string, commands ...*cobra.Command) {
		for _, sub := range commands {
			sub.GroupID = group
			if !sub.HasSubCommands() {
				sub.RunE = begun(sub.RunE)
			}
			c.AddCommand(sub)
		}
	}
	add(groupJobs, runCommand(), acquireCommand(), renewCommand(), releaseCommand(), backendConfigCommand())
	add(groupPeople, statusCommand(), listCommand(), watchCommand(), historyCommand(), stateCommand(), markStaleCommand(), forceUnlockCommand())
	add(groupService, serveCommand(), tokenCommand(), doctorCommand())
	add("", versionCommand())
	return c
}

// The groups of commands in the help.
const (
	groupJobs    = "jobs"
	groupPeople  = "people"
	groupService = "service"
)

// sensible refuses what no flag can mean: a time that runs backwards, and an
// empty text, which is what a variable that was not set leaves behind.
func sensible(flags *pflag.FlagSet) (err error) {
	const mayBeNobody = "user"
	flags.Visit(func(f *pflag.Flag) {
		d, wrong := time.ParseDuration(f.Value.String())
		switch {
		case f.Value.Type() == "duration" && wrong == nil && d < 0:
			err = fmt.Errorf("--%s %s: must not be negative", f.Name, d)
		case f.Value.Type() == "string" && f.Value.String() == "" && f.Name != mayBeNobody:
			err = fmt.Errorf("--%s: empty; leave it out if it is not meant", f.Name)
		}
	})
	return err
}

// begun marks the errors of a command that has begun: all that come before are
// about its flags and arguments.
func begun(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		if err := sensible(c.Flags()); err != nil {
			return usageError{err}
		}
		if err := run(c, args); err != nil {
			return begunError{err}
		}
		return nil
	}
}

// untilSignal makes a command's context end by a signal; a second one ends the
// process at once.
func untilSignal(run func(*cobra.Command) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, _ []string) error {
		ctx, stop := signal.NotifyContext(c.Context(), interrupts...)
		defer stop()
		context.AfterFunc(ctx, stop)
		c.SetContext(ctx)
		return run(c)
	}
}

// version is the module's version as the build recorded it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
