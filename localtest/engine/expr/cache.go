package expr

import (
	"sync"
	"sync/atomic"
)

// cache keeps the trees of expressions that were parsed before, by their text.
// A program sends the same few again and again; once the cache is full of
// others it keeps what it has.
type cache[T any] struct {
	trees sync.Map
	count atomic.Int32
}

// cacheSize is how many trees a cache keeps.
const cacheSize = 1000

// parse reads text with rule, or finds what it read before. Trees don't change,
// so all may share them.
func (c *cache[T]) parse(text string, rule func(*parser) (T, error)) (T, error) {
	if tree, ok := c.trees.Load(text); ok {
		return tree.(T), nil
	}
	tree, err := parse(text, rule)
	if err == nil && c.count.Load() < cacheSize {
		if _, known := c.trees.LoadOrStore(text, tree); !known {
			c.count.Add(1)
		}
	}
	return tree, err
}
