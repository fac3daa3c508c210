package ddbstore

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/statelock/statelock/pkg/lockmodel"
)

const (
	sortChunk = "chunk#"
	attrBody  = "body"
	// chunkSize leaves room for the rest of an item below DynamoDB's limit of
	// 400 KB.
	chunkSize = 390_000
)

// chunkItem is a part of a version's compressed body.
type chunkItem struct {
	Workspace string `dynamodbav:"ws"`
	Sort      string `dynamodbav:"sk"`
	Body      []byte `dynamodbav:"body"`
}

func chunkKey(id string, n int) string { return fmt.Sprintf("%s%s#%04d", sortChunk, id, n) }

// upload stores the version that the request names, so that it is there and no
// more. The description comes first: what is left of an upload that broke off
// is found by it.
func (s *Store) upload(ctx context.Context, r lockmodel.Request, lineage string, compressed []byte) error {
	chunks := slices.Collect(slices.Chunk(compressed, chunkSize))
	v := versionItem{
		Workspace: r.Workspace, Sort: sortVersion + r.Version, State: uploading,
		Lineage: lineage, Size: r.Size, Checksum: r.Checksum, Chunks: len(chunks),
		By: cmp.Or(r.Principal, lockmodel.Anonymous), At: r.Now, LockID: r.LockID,
	}
	if r.Serial != lockmodel.Missing {
		v.Serial = &r.Serial
	}
	if err := s.put(ctx, v); err != nil {
		return fmt.Errorf("store a state of %s: %w", r.Workspace, err)
	}
	for n, part := range chunks {
		if err := s.put(ctx, chunkItem{r.Workspace, chunkKey(r.Version, n), part}); err != nil {
			return fmt.Errorf("store a state of %s: %w", r.Workspace, err)
		}
	}
	return nil
}

// put stores an item of an upload, once: its name is new, so one that is there is
// this very one, and a copy of the request must not undo what came after it.
func (s *Store) put(ctx context.Context, item any) error {
	attributes, err := attributevalue.MarshalMap(item)
	if err != nil {
		return err
	}
	_, err = s.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &s.Table, Item: attributes, ConditionExpression: aws.String("attribute_not_exists(" + attrWorkspace + ")"),
	})
	if _, there := errors.AsType[*types.ConditionalCheckFailedException](err); there {
		return nil
	}
	return err
}

// download reads the parts of a version.
func (s *Store) download(ctx context.Context, ws, id, checksum string) (State, error) {
	var compressed bytes.Buffer
	err := s.each(ctx, ws, sortChunk+id+"#", func(attributes map[string]types.AttributeValue) error {
		body, ok := attributes[attrBody].(*types.AttributeValueMemberB)
		if !ok {
			return ErrStateDamaged
		}
		compressed.Write(body.Value)
		return nil
	})
	if err != nil {
		return State{}, fmt.Errorf("read a state of %s: %w", ws, err)
	}
	state, err := restored(compressed.Bytes(), checksum)
	if err != nil {
		return State{}, fmt.Errorf("read a state of %s: %w", ws, err)
	}
	return state, nil
}

// compress gives the body as one gzip stream, which clients may be sent as it is.
func compress(body []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(body)
	if err = errors.Join(err, w.Close()); err != nil {
		panic(err) // a bytes.Buffer takes everything
	}
	return b.Bytes()
}

// restored checks a state that was read.
func restored(compressed []byte, checksum string) (State, error) {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return State{}, fmt.Errorf("%w: %w", ErrStateDamaged, err)
	}
	body, err := io.ReadAll(r)
	if err != nil {
		return State{}, fmt.Errorf("%w: %w", ErrStateDamaged, err)
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != checksum {
		return State{}, fmt.Errorf("%w: its checksum is another", ErrStateDamaged)
	}
	return State{Body: body, Gzip: compressed}, nil
}
