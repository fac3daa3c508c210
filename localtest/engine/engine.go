package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/statelock/statelock/localtest/engine/attr"
	"github.com/statelock/statelock/localtest/engine/kv"
)

// Engine is a set of tables. It is an http.Handler, and any number of
// goroutines may use it.
type Engine struct {
	// writing is held from the moment a write reads what it depends on until
	// its changes are visible. Only its holder changes what follows.
	writing sync.Mutex
	// state guards the tables' contents while they are read or replaced. It is
	// not held while a write goes to the disk, so readers never wait for that.
	state  sync.RWMutex
	tables map[string]*table
	tokens map[string]token // of transactions, by ClientRequestToken
	forgot time.Time        // when old tokens were last looked for
	file   *kv.File         // nil if there is only memory
}

// New returns an empty engine that keeps everything in memory.
func New() *Engine {
	return &Engine{tables: map[string]*table{}, tokens: map[string]token{}}
}

// Open returns an engine that keeps its tables in the file at path, which is
// created if there is none. A file that is open already, here or in another
// process, is an error that wraps kv.ErrInUse.
func Open(path string) (*Engine, error) {
	file, err := kv.Open(path)
	if err != nil {
		return nil, err
	}
	e := New()
	e.file = file
	if err := e.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", path, err), file.Close())
	}
	return e, nil
}

// Close waits for writes under way and closes the file, if there is one. The
// engine is not to be used afterwards.
func (e *Engine) Close() error {
	e.writing.Lock()
	defer e.writing.Unlock()
	if e.file == nil {
		return nil
	}
	return e.file.Close()
}

// The file's buckets: tables by name, tokens by their text, and the items of
// each table by key in a bucket of its own.
const (
	tablesBucket = "tables"
	tokensBucket = "tokens"
)

func itemsBucket(t *table) string { return "items " + t.meta.Description.TableID }

// load reads the file into memory.
func (e *Engine) load() error {
	err := e.file.Each(tablesBucket, func(name, value []byte) error {
		var meta tableMeta
		if err := json.Unmarshal(value, &meta); err != nil {
			return fmt.Errorf("table %s: %w", name, err)
		}
		e.tables[string(name)] = newTable(meta)
		return nil
	})
	if err != nil {
		return err
	}
	for name, t := range e.tables {
		err := e.file.Each(itemsBucket(t), func(key, value []byte) error {
			var item attr.Map
			if err := item.UnmarshalJSON(value); err != nil {
				return fmt.Errorf("item %q of table %s: %w", key, name, err)
			}
			t.store(string(key), nil, item)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return e.file.Each(tokensBucket, func(name, value []byte) error {
		var tok token
		if err := json.Unmarshal(value, &tok); err != nil {
			return fmt.Errorf("token %s: %w", name, err)
		}
		e.tokens[string(name)] = tok
		return nil
	})
}

// table finds a table; the caller holds writing or state.
func (e *Engine) table(name string) (*table, error) {
	t, ok := e.tables[name]
	if !ok {
		return nil, tableNotFound()
	}
	return t, nil
}

// SweepExpired deletes the items whose TTL attribute says that they had expired
// at now, as the service does in the background within days. It returns how
// many there were.
func (e *Engine) SweepExpired(now time.Time) (int, error) {
	e.writing.Lock()
	defer e.writing.Unlock()
	var writes []write
	for _, t := range e.tables {
		t.items.Scan(func(key string, item attr.Map) bool {
			if t.expired(item, now) {
				writes = append(writes, write{table: t, key: key, old: item})
			}
			return true
		})
	}
	return len(writes), e.commit(writes)
}
