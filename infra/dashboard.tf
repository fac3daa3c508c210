data "aws_region" "current" {}

resource "aws_cloudwatch_dashboard" "lock" {
  dashboard_name = var.name

  dashboard_body = <<-JSON
    {"widgets":[
      {"type":"metric","x":0,"y":0,"width":12,"height":6,"properties":{"title":"Transitions by operation and answer","region":"${data.aws_region.current.region}","stat":"Sum","period":300,"metrics":[[{"expression":"SEARCH('{statelock,Table,Operation,Answer} MetricName=\"Transitions\" Table=\"${aws_dynamodb_table.lock.name}\"', 'Sum', 300)","id":"e1"}]]}},
      {"type":"metric","x":12,"y":0,"width":12,"height":6,"properties":{"title":"Contention and refused state writes","region":"${data.aws_region.current.region}","stat":"Sum","period":300,"metrics":[["statelock","Contention","Table","${aws_dynamodb_table.lock.name}"],["statelock","RefusedStateWrites","Table","${aws_dynamodb_table.lock.name}"]]}},
      {"type":"metric","x":0,"y":6,"width":12,"height":6,"properties":{"title":"Stale locks","region":"${data.aws_region.current.region}","stat":"Maximum","period":300,"metrics":[["statelock","StaleLocks","Table","${aws_dynamodb_table.lock.name}"],["statelock","OldestStale","Table","${aws_dynamodb_table.lock.name}",{"yAxis":"right"}]]}},
      {"type":"metric","x":12,"y":6,"width":12,"height":6,"properties":{"title":"How long holds lasted, in seconds","region":"${data.aws_region.current.region}","stat":"Maximum","period":300,"metrics":[["statelock","HeldTime","Table","${aws_dynamodb_table.lock.name}"],["statelock","StaleTime","Table","${aws_dynamodb_table.lock.name}"]]}},
      {"type":"metric","x":0,"y":12,"width":12,"height":6,"properties":{"title":"Requests to DynamoDB, p99 in milliseconds","region":"${data.aws_region.current.region}","stat":"p99","period":300,"metrics":[[{"expression":"SEARCH('{statelock,Table,Action} MetricName=\"DynamoDBLatency\" Table=\"${aws_dynamodb_table.lock.name}\"', 'p99', 300)","id":"e1"}]]}},
      {"type":"metric","x":12,"y":12,"width":12,"height":6,"properties":{"title":"Retries of requests to DynamoDB","region":"${data.aws_region.current.region}","stat":"Sum","period":300,"metrics":[[{"expression":"SEARCH('{statelock,Table,Action} MetricName=\"DynamoDBRetries\" Table=\"${aws_dynamodb_table.lock.name}\"', 'Sum', 300)","id":"e1"}]]}},
      {"type":"metric","x":0,"y":18,"width":12,"height":6,"properties":{"title":"Answers of the API","region":"${data.aws_region.current.region}","stat":"Sum","period":300,"metrics":[["AWS/ApiGateway","Count","ApiId","${aws_apigatewayv2_api.lock.id}"],["AWS/ApiGateway","4xx","ApiId","${aws_apigatewayv2_api.lock.id}"],["AWS/ApiGateway","5xx","ApiId","${aws_apigatewayv2_api.lock.id}"]]}},
      {"type":"metric","x":12,"y":18,"width":12,"height":6,"properties":{"title":"Errors of the functions","region":"${data.aws_region.current.region}","stat":"Sum","period":300,"metrics":[["AWS/Lambda","Errors","FunctionName","${aws_lambda_function.api.function_name}"],["AWS/Lambda","Errors","FunctionName","${aws_lambda_function.ops.function_name}"],["AWS/Lambda","Errors","FunctionName","${aws_lambda_function.sweep.function_name}"],["AWS/Lambda","Errors","FunctionName","${aws_lambda_function.history.function_name}"]]}}
    ]}
  JSON
}
