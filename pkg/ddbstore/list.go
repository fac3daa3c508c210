package ddbstore

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// Limits on the length of a page.
const (
	DefaultPage = 100
	MaxPage     = 1000
)

// Query asks for a page of locks.
type Query struct {
	// State is the state to list; "" lists the held and then the stale ones.
	State lockmodel.State
	// Prefix is how the workspace names start; "" for all.
	Prefix string
	// Cursor continues after an earlier page: its Page.Next.
	Cursor string
	// Limit is the greatest number of locks wanted, DefaultPage where 0.
	Limit int
	// Shown reports whether a workspace may be told of; nil tells of all. A page
	// tells nothing of others, not even by its end or by where the next one goes on.
	Shown func(ws string) bool
}

// Page is a page of locks, in the order of their names within each state.
type Page struct {
	Locks []lockmodel.Lock
	// Next continues the list, "" at its end.
	Next string
}

// List reads a page of locks from the index. Its cost is the locks listed, and
// where some are hidden from the caller, those as well. The index follows the table
// within moments: a list is for looking, and Lock for deciding. Unusable fields of
// q are *lockmodel.FieldError.
func (s *Store) List(ctx context.Context, q Query) (Page, error) {
	states, after, err := q.resume()
	if err != nil {
		return Page{}, err
	}
	limit := q.Limit
	if limit == 0 {
		limit = DefaultPage
	}
	var page Page
	hidden := false
	for n, state := range states {
		for {
			most := limit - len(page.Locks)
			if hidden {
				most = MaxPage // or a few to be shown would take many requests
			}
			found, last, err := s.query(ctx, state, q.Prefix, after, most)
			if err != nil {
				return Page{}, err
			}
			for _, l := range found {
				if q.Shown != nil && !q.Shown(l.Workspace) {
					hidden = true
					continue
				}
				page.Locks = append(page.Locks, l)
				if len(page.Locks) == limit && (last != "" || q.Shown != nil) {
					page.Next = position{state, l.Workspace}.String()
					return page, nil
				}
			}
			if after = last; last == "" {
				break
			}
		}
		if len(page.Locks) == limit && n+1 < len(states) {
			page.Next = position{states[n+1], ""}.String()
			return page, nil
		}
	}
	return page, nil
}

// query reads locks of one state; last names the one to go on after, if any.
func (s *Store) query(ctx context.Context, state lockmodel.State, prefix, after string, limit int) (found []lockmodel.Lock, last string, err error) {
	input := &dynamodb.QueryInput{
		TableName:                 &s.Table,
		IndexName:                 aws.String(indexByState),
		KeyConditionExpression:    aws.String(attrState + " = :state"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":state": str(state)},
		Limit:                     aws.Int32(int32(limit)),
	}
	if prefix != "" {
		input.KeyConditionExpression = aws.String(attrState + " = :state AND begins_with(" + attrWorkspace + ", :prefix)")
		input.ExpressionAttributeValues[":prefix"] = str(prefix)
	}
	if after != "" {
		input.ExclusiveStartKey = key(after)
		input.ExclusiveStartKey[attrState] = str(state)
	}
	result, err := s.client.Query(ctx, input)
	if err != nil {
		return nil, "", fmt.Errorf("list %s locks: %w", state, err)
	}
	found, err = decodeAll(result.Items)
	if err != nil {
		return nil, "", fmt.Errorf("list %s locks: %w", state, err)
	}
	if ws, ok := result.LastEvaluatedKey[attrWorkspace].(*types.AttributeValueMemberS); ok {
		last = ws.Value
	}
	return found, last, nil
}

// position is what a cursor stands for: a state, and the workspace after which
// its list goes on ("" for its start).
type position struct {
	State     lockmodel.State `json:"s"`
	Workspace string          `json:"w"`
}

func (p position) String() string {
	doc, _ := json.Marshal(p) // two strings: cannot fail
	return base64.RawURLEncoding.EncodeToString(doc)
}

// resume checks the query and gives the states that are left to list, and the
// workspace after which the first of them goes on.
func (q Query) resume() (states []lockmodel.State, after string, err error) {
	states = []lockmodel.State{lockmodel.Held, lockmodel.Stale}
	if q.State != "" {
		if !slices.Contains(lockmodel.States(), q.State) {
			return nil, "", &lockmodel.FieldError{
				Field:   "state",
				Problem: fmt.Sprintf("must be one of %s", strings.Join(lockmodel.States(), ", ")),
			}
		}
		states = []lockmodel.State{q.State}
	}
	if q.Limit < 0 || q.Limit > MaxPage {
		return nil, "", &lockmodel.FieldError{Field: "limit", Problem: fmt.Sprintf("must be 1 to %d", MaxPage)}
	}
	if err := lockmodel.CheckPrefix(q.Prefix); err != nil {
		return nil, "", err
	}
	if q.Cursor == "" {
		return states, "", nil
	}
	bad := &lockmodel.FieldError{Field: "cursor", Problem: "not the cursor of an earlier page of this list"}
	var p position
	doc, err := base64.RawURLEncoding.DecodeString(q.Cursor)
	if err != nil || json.Unmarshal(doc, &p) != nil {
		return nil, "", bad
	}
	n := slices.Index(states, p.State)
	if n < 0 || p.Workspace != "" && (lockmodel.CheckWorkspace(p.Workspace) != nil || !strings.HasPrefix(p.Workspace, q.Prefix)) {
		return nil, "", bad
	}
	return states[n:], p.Workspace, nil
}
