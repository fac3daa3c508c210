package client_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/statelock/statelock/localtest/engine"
	"github.com/statelock/statelock/pkg/client"
	"github.com/statelock/statelock/pkg/ddbstore"
)

// example is a client of a table in memory.
func example() *client.Client {
	db := engine.New().Client()
	if err := ddbstore.CreateTable(context.Background(), db, "statelock"); err != nil {
		panic(err)
	}
	return client.NewOnStore(ddbstore.New(db, ddbstore.Options{Table: "statelock"}), slog.Default(), client.Options{})
}

func Example() {
	ctx := context.Background()
	c, err := client.New("https://locks.example.com", client.Options{Credentials: client.Bearer("token")})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = c
	c = example() // in place of the service

	lock, err := c.Acquire(ctx, client.Request{Workspace: "prod", Runner: "jane@laptop", Lease: time.Minute, Wait: 10 * time.Minute})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("holding", lock.Workspace(), "fence", lock.Fence())
	select {
	case <-lock.Lost():
		fmt.Println("stop:", lock.Err())
	case <-time.After(time.Millisecond): // the work is done
	}
	fmt.Println("released:", lock.Release(ctx))
	// Output:
	// holding prod fence 1
	// released: <nil>
}

func ExampleClient_Acquire_held() {
	ctx, c := context.Background(), example()
	first, err := c.Acquire(ctx, client.Request{Workspace: "prod", Runner: "ci-7", Lease: time.Minute})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer first.Abandon()

	_, err = c.Acquire(ctx, client.Request{Workspace: "prod", Runner: "jane@laptop"})
	if held, ok := errors.AsType[*client.HeldError](err); ok {
		fmt.Println(held.Holder.Owner, "has it")
	}
	// Output: ci-7 has it
}

func ExampleClient_Run() {
	c := example()
	err := c.Run(context.Background(), client.Request{Workspace: "prod", Runner: "ci-7", Lease: time.Minute},
		func(ctx context.Context, lock *client.Lock) error {
			// ctx is cancelled when the lock is lost.
			fmt.Println("working under fence", lock.Fence())
			return nil
		})
	fmt.Println(err)
	// Output:
	// working under fence 1
	// <nil>
}

func ExampleClient_ForceUnlock() {
	ctx, c := context.Background(), example()
	if _, err := c.AcquireOnly(ctx, client.Request{Workspace: "prod", Runner: "ci-7"}); err != nil {
		fmt.Println(err)
		return
	}
	// Somebody has looked, and is sure that this holder is gone.
	seen, err := c.Status(ctx, "prod")
	if err != nil {
		fmt.Println(err)
		return
	}
	hold := client.Hold{Workspace: "prod", LockID: seen.LockID}
	_, err = c.ForceUnlock(ctx, hold, "")
	fmt.Println(err)
	_, err = c.MarkStale(ctx, hold, "")
	fmt.Println(err)
	v, err := c.ForceUnlock(ctx, hold, "its machine is gone")
	fmt.Println(v.State, err)
	// Output:
	// force-unlock refused: force-unlock only from stale — a live holder is never bulldozed
	// <nil>
	// unlocked <nil>
}

func ExampleClient_List() {
	ctx, c := context.Background(), example()
	for _, ws := range []string{"team/prod", "team/dev", "other"} {
		if _, err := c.AcquireOnly(ctx, client.Request{Workspace: ws, Runner: "ci-7"}); err != nil {
			fmt.Println(err)
			return
		}
	}
	for v, err := range c.List(ctx, client.Query{Prefix: "team/"}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(v.Workspace, v.State, v.Owner)
	}
	// Output:
	// team/dev held ci-7
	// team/prod held ci-7
}
