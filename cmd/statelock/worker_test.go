package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// worker is a command for run to run. It tells which signals it gets, on
// standard output, and ends with code 0 by SIGUSR2. An obedient one ends with
// code 40 by SIGINT and SIGTERM, a stubborn one does not.
func worker() {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2)
	fmt.Println("ready", os.Getpid())
	for s := range signals {
		fmt.Println("got", s)
		switch {
		case s == syscall.SIGUSR2:
			os.Exit(0)
		case os.Args[1] == "obedient" && (s == syscall.SIGINT || s == syscall.SIGTERM):
			os.Exit(40)
		}
	}
}
