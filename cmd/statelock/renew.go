package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/statelock/statelock/pkg/lockmodel"
)

func renewCommand() *cobra.Command {
	var s serviceOptions
	var o holdOptions
	var lease time.Duration
	c := &cobra.Command{
		Use:   "renew --ws WORKSPACE",
		Short: "Extend the lease of a lock that this job holds",
		Args:  cobra.NoArgs,
		RunE: untilSignal(func(c *cobra.Command) error {
			h, err := o.hold()
			if err != nil {
				return err
			}
			cl, err := s.connect(c)
			if err != nil {
				return err
			}
			v, err := cl.Renew(c.Context(), h, lease)
			if err != nil {
				return err
			}
			return printDone(c, s, v, lockmodel.Held, "renewed")
		}),
	}
	o.flags(c)
	c.Flags().DurationVar(&lease, "lease", time.Minute, "until how long from now the lease shall reach")
	s.flags(c.Flags())
	return c
}
