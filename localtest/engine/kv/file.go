package kv

import (
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// lockTimeout is how long Open waits for another process to let go of the file.
const lockTimeout = time.Second

// ErrInUse is returned by Open for a file that another process, or another
// File of this one, has open.
var ErrInUse = errors.New("data file is in use by another process")

// File is an open data file. Any number of goroutines may use it.
type File struct{ db *bbolt.DB }

// Open opens the file at path and creates it if there is none.
func Open(path string) (*File, error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockTimeout})
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return nil, fmt.Errorf("open %s: %w", path, ErrInUse)
	case err != nil:
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return &File{db}, nil
}

// Close waits for changes under way and closes the file.
func (f *File) Close() error { return f.db.Close() }

// Tx is a change being put together. Buckets come into being with their first
// key.
type Tx struct{ tx *bbolt.Tx }

// Update makes the changes of fn, all of them or, if it or the disk fails,
// none. When Update returns without error they survive a crash.
func (f *File) Update(fn func(Tx) error) error {
	return f.db.Update(func(tx *bbolt.Tx) error { return fn(Tx{tx}) })
}

// Put sets a key's value.
func (t Tx) Put(bucket string, key, value []byte) error {
	b, err := t.tx.CreateBucketIfNotExists([]byte(bucket))
	if err != nil {
		return err
	}
	return b.Put(key, value)
}

// Delete removes a key, if it is there.
func (t Tx) Delete(bucket string, key []byte) error {
	b := t.tx.Bucket([]byte(bucket))
	if b == nil {
		return nil
	}
	return b.Delete(key)
}

// Drop removes a bucket and all its keys, if it is there.
func (t Tx) Drop(bucket string) error {
	err := t.tx.DeleteBucket([]byte(bucket))
	if errors.Is(err, berrors.ErrBucketNotFound) {
		return nil
	}
	return err
}

// Each calls fn with every key and value of a bucket, in order of keys. The
// bytes are valid during the call only.
func (f *File) Each(bucket string, fn func(key, value []byte) error) error {
	return f.db.View(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte(bucket))
		if b == nil {
			return nil
		}
		return b.ForEach(fn)
	})
}
