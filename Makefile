# The targets need Go and make alone, except where they say otherwise.

GO ?= go

# The race detector needs a C compiler; where there is none, tests run without.
RACE := $(if $(filter 1,$(shell $(GO) env CGO_ENABLED)),-race)

# What to run against engines other than the embedded one, and which engines:
# all, or some of dynalite,dynoxide,moto.
SUITE   := ./pkg/ddbstore/... ./pkg/lockapi/... ./localtest/torture
ENGINES ?= all
WITH_ENGINE := $(GO) run ./localtest/cmd/withengine

# How many requests to compare engines with, and where to begin.
CASES ?= 1000
SEED  ?= 1

# How many wait for one lock at once.
WAITERS ?= 50

# DynamoDB Local, as its image serves it.
ENDPOINT ?= http://127.0.0.1:8000

# How long to torture, and from which seed on: another one each time, printed at
# the end.
DURATION     ?= 1m
TORTURE_SEED ?= $(shell date +%s)

# golangci-lint in the version pinned apart from our own dependencies. The first
# run builds it, in some minutes; Go keeps it in its cache.
LINT := $(GO) tool -modfile=tools/golangci-lint.mod golangci-lint

# Whoever builds the same source with the same Go gets the same function.
LAMBDA_BUILD := CGO_ENABLED=0 GOOS=linux GOARCH=arm64 $(GO) build \
	-tags lambda.norpc -trimpath -buildvcs=false -ldflags='-s -w -buildid='

.DEFAULT_GOAL := help
.PHONY: help run test prove torture build bin/statelock build/lock.zip lint fmt engines test-engines tofu waiters differential differential-dynamodb-local test-dynamodb-local verify-infra bench-cold bench clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-28s %s\n", $$1, $$2 }'

run: ## serve on 127.0.0.1:8420, with the locks in ./.statelock
	$(GO) run ./cmd/statelock serve

test: ## run all tests
	$(GO) test $(RACE) ./...

build: bin/statelock build/lock.zip ## build bin/statelock and build/lock.zip, the Lambda function

bin/statelock:
	$(GO) build -trimpath -o $@ ./cmd/statelock

build/lock.zip:
	$(LAMBDA_BUILD) -o build/lock/bootstrap ./functions/lock
	$(GO) run ./tools/lambdazip $@ build/lock/bootstrap

lint: ## check the code's style and look for common mistakes
	$(LINT) run ./...

fmt: ## format the code
	$(LINT) fmt ./...

engines: ## install other DynamoDB engines (needs npm, cargo, python3; or ENGINES=dynalite)
	$(WITH_ENGINE) -install $(ENGINES)

test-engines: ## run the tests of store and API against the engines that are installed
	$(WITH_ENGINE) $(ENGINES) -- $(GO) test -count=1 -timeout=60m $(SUITE)

differential: ## compare the embedded engine with the installed ones on generated requests (SEED=, CASES=)
	$(GO) test -count=1 -v ./localtest/differential -args -seed $(SEED) -cases $(CASES)

differential-dynamodb-local: ## list where DynamoDB Local does otherwise
	STATELOCK_TEST_ENDPOINT=$(ENDPOINT) $(GO) test -count=1 -v -run Endpoint ./localtest/differential -args -seed $(SEED) -cases $(CASES)

tofu: ## build OpenTofu for the end-to-end tests, into the user's cache folder (some minutes)
	$(GO) run ./localtest/e2e/cmd/tofu

waiters: ## let many wait for one lock, Terraform's way and ours (WAITERS=50), and print what it took
	$(GO) test -count=1 -timeout=60m -v -run ManyWaiters ./localtest/e2e -args -waiters $(WAITERS)

test-dynamodb-local: ## the same against DynamoDB Local; first: docker run -p 8000:8000 amazon/dynamodb-local
	STATELOCK_TEST_ENDPOINT=$(ENDPOINT) $(GO) test $(RACE) -count=1 -timeout=60m $(SUITE)

prove: ## check the lock exhaustively, within bounds, and print what was checked
	$(GO) run ./localtest/cmd/prove

torture: ## let clients fight over locks through a bad network and check it (DURATION=10m)
	$(GO) run ./localtest/cmd/torture --seed $(TORTURE_SEED) --duration $(DURATION)

verify-infra: ## check both deployments as far as can be without AWS, a line each
	$(GO) run ./tools/verifyinfra

bench-cold: ## measure the function's start next to a hello and to a bare DynamoDB client
	$(GO) run ./localtest/coldstart

bench: ## measure acquire and release
	$(GO) test -run='^$$' -bench=. -benchmem ./...

clean: ## remove what was built
	rm -rf bin build
