// Package metrics gathers what one invocation of a Lambda function measures and
// writes it as CloudWatch's embedded metric format: lines of JSON in the
// function's log, of which CloudWatch Logs makes metrics without a request.
//
//	set := metrics.NewSet()
//	ctx = metrics.With(ctx, set)
//	…
//	metrics.From(ctx).Add("Transitions", metrics.Count, 1, metrics.Dimension{"Operation", "acquire"})
//	…
//	set.Write(os.Stdout, metrics.Labels{Namespace: "statelock", At: time.Now()})
//
// The format is that of "Specification: Embedded metric format" in the Amazon
// CloudWatch User Guide, and its limits are kept: 100 metrics and 100 values of
// each in a document, no empty dimension.
package metrics
