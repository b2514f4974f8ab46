# What there is to run. Go is enough for everything but kafka-image and containers.
GO ?= go
VERSION ?= 4.4.0
BROKER ?= kfake
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help build check test unit race bench conformance lint docs kafka-image clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## bin/onceproof
	$(GO) build -o bin/onceproof ./cmd/onceproof

check: build ## explore every model, every fix off and on; compare with what is recorded
	bin/onceproof check $(ARGS)

test: lint unit race ## lint, unit tests, features on spec and kfake, and on Kafka where an engine and the image are there

unit:
	$(GO) test ./...
	@docker image inspect onceproof/kafka:4.4.0 >/dev/null 2>&1 || echo "containers: skipped, no engine answers that has the image onceproof/kafka:4.4.0 (make kafka-image builds it; ONCEPROOF_REQUIRE_DOCKER=1 demands it)"

race:
	$(GO) test -race -short ./checker/... ./spec/...

bench: ## the checker beside a search written by hand, one worker and two; rate and profile on the protocol
	$(GO) test -run '^$$' -bench AgainstByHand -benchtime 3x -timeout 30m ./checker/twophase
	$(GO) test -run '^$$' -bench 'Explore|OutsideTheModel|EncodedState' -benchtime 3x ./spec/world

conformance: build ## run the features against BROKER=spec|kfake|docker:IMAGE|HOST:PORT
	bin/onceproof conform --broker $(BROKER) $(ARGS)

lint: ## gofmt, go vet, staticcheck
	@test -z "$$(gofmt -l .)" || { gofmt -l . | sed 's/^/not formatted: /'; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

docs: ## generate features/traces, and what is generated in README.md and docs/
	$(GO) test ./harness/trace -run TestTracesAreFresh -count 1 -update
	$(GO) test ./cmd/onceproof -run TestDocsAreFresh -count 1 -update

kafka-image: ## build the container image of Apache Kafka VERSION=4.4.0 from its published jars
	fixtures/kafka-image/build.sh $(VERSION)

clean: ## remove what was built and reported
	rm -rf bin report
