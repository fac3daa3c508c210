package ddbstore_test

import (
	"testing"

	"github.com/statelock/statelock/localtest/agreement"
	"github.com/statelock/statelock/localtest/testdb"
)

// DynamoDB's verdict, the answer and the item afterwards are Step's, for every
// stored item and every request: on a slow server, for some of them.
func TestAgreement(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	report, err := agreement.Check(t.Context(), db.Client, db.Table, testdb.Every(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d items × %d requests: %d meetings, %d written", report.Items, report.Requests, report.Meetings, report.Written)
	if report.Written == 0 || report.Written == report.Meetings {
		t.Error("conditions always held, or never")
	}
	for _, d := range report.Disagreements {
		t.Error(d)
	}
}
