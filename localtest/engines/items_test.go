package engines

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// tableWait is how long an engine may take to make a table: none should.
const tableWait = 30 * time.Second

// compareItems compares items by what they say, not by the SDK's bookkeeping,
// and takes an absent item for an empty one.
var compareItems = cmp.Options{
	cmpopts.IgnoreUnexported(types.AttributeValueMemberS{}),
	cmpopts.EquateEmpty(),
}

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func key(k string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"k": str(k)}
}

func item(k, v string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"k": str(k), "v": str(v)}
}
