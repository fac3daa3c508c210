// Package lambdaruntime runs a Lambda function's bootstrap as AWS Lambda does,
// on this machine and for tests: as processes that fetch their events from the
// Lambda runtime API.
//
//	function, err := lambdaruntime.Start(lambdaruntime.Options{Bootstrap: path, Env: env})
//	defer function.Close()
//	answer, err := function.Invoke(ctx, []byte(`{"op":"lock_state","ws":"prod"}`))
//
// Each process is an execution environment of its own, with its own endpoint
// of the runtime API, and has one invocation at a time. An invocation that
// outlives the function's time-out kills its process, a process that dies
// fails its invocation, and either is replaced: as in Lambda, so that what a
// function leaves half done can be tested.
//
// A Gateway puts an Amazon API Gateway HTTP API (payload format 2.0) in front
// of it: an http.Handler that makes events of requests.
//
// The runtime API is the one of "Using the Lambda runtime API for custom
// runtimes" in the AWS Lambda Developer Guide, version 2018-06-01, without
// response streaming.
package lambdaruntime
