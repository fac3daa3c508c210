// Runs dynalite on loopback with its one gap that matters to a lock mended:
// DynamoDB returns the stored item with a failed condition when the request
// asks for it (ReturnValuesOnConditionCheckFailure=ALL_OLD); dynalite 4.0.0
// drops that parameter and returns the bare error.
//
//   node launcher.js --port PORT [--path DIR]
//
// Prints "listening at http://127.0.0.1:PORT" once it answers.
'use strict'

const minimist = require('minimist')
const db = require('dynalite/db')

// The parameter, as the three single-item writes define it. dynalite deletes
// from a request whatever its operation does not list here.
for (const operation of ['putItem', 'updateItem', 'deleteItem']) {
  require('dynalite/validations/' + operation).types.ReturnValuesOnConditionCheckFailure = {
    type: 'String',
    enum: ['ALL_OLD', 'NONE'],
  }
}

// The three writes call checkConditional through the module, under the key's
// lock and before they touch the item, so the item returned is the one that
// the condition was decided on. An absent item is left out, as DynamoDB does.
const checkConditional = db.checkConditional
db.checkConditional = function (request, existingItem) {
  const failure = checkConditional(request, existingItem)
  if (failure && existingItem && request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD') {
    failure.body.Item = existingItem
  }
  return failure
}

// dynalite throws when a client breaks off a request. The client is gone and
// nothing was done for it; the other clients still need the engine.
process.on('uncaughtException', function (err) {
  if (err.code === 'ECONNRESET') return
  console.error(err)
  process.exit(1)
})

const args = minimist(process.argv.slice(2), { string: ['path'] })
const host = '127.0.0.1'
const server = require('dynalite')({
  path: args.path || undefined,
  createTableMs: 0,
  updateTableMs: 0,
  deleteTableMs: 0,
})
server.listen(args.port, host, function () {
  console.log('listening at http://%s:%d', host, server.address().port)
})
