package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

func versionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if asJSON {
				return printJSON(c.OutOrStdout(), map[string]string{"version": version(), "go": runtime.Version()})
			}
			_, err := fmt.Fprintln(c.OutOrStdout(), "statelock "+version())
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, flagJSON, false, "print JSON")
	return c
}
