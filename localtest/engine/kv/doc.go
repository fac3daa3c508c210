// Package kv keeps ordered buckets of bytes in one bbolt file. A change is on
// the disk before it is acknowledged.
package kv
