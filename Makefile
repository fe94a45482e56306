# Everything a developer or CI runs. `make` alone lists the targets.

GO ?= go

# Version of staticcheck for machines that have none installed.
STATICCHECK_VERSION := v0.8.2

VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
PROGRAMS := $(notdir $(wildcard cmd/outbox-*))

# Longest time for one package's tests; the end-to-end suite takes minutes.
TEST_TIMEOUT ?= 25m

# Flags for the program that a target runs, or more flags for go test: make quickstart ARGS=-once
ARGS ?=

# $(call need,COMMAND,PACKAGE) stops with the name of the Debian package that brings a command.
need = command -v $(1) >/dev/null || { echo "$(1) not found; install Debian's package $(2)" >&2; exit 1; }

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: build
build: $(addprefix bin/,$(PROGRAMS)) ## Build the static programs into bin/

# go build knows best whether there is something to do.
.PHONY: $(addprefix bin/,$(PROGRAMS))
$(addprefix bin/,$(PROGRAMS)): bin/%:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o $@ ./cmd/$*

.PHONY: tools
tools: # Fail early when something that the tests need is not installed
	@$(call need,cc,gcc)
	@$(call need,java,default-jre-headless)
	@$(call need,mvn,maven)
	@[ -n "$$OUTBOX_TEST_PG_BINDIR$$OUTBOX_TEST_PG_VERSION" ] || ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || \
		{ $(call need,postgres,postgresql); }

# Packages that need the machine for themselves: those that measure time, and those that run a whole Debezium.
ALONE    := e2e pattern security database shards prune browser
DEBEZIUM := debezium compat
packages  = $$($(GO) list ./... | grep $(1) $(patsubst %,-e '/test/%\(/\|$$\)',$(2)))

.PHONY: test
test: tools ## Run all tests, with the race detector where it fits, against real servers and the real Debezium
	$(GO) test -race -timeout $(TEST_TIMEOUT) $(ARGS) $(call packages,-v,$(ALONE) $(DEBEZIUM))
	$(GO) test -race -timeout $(TEST_TIMEOUT) -p 1 $(ARGS) $(call packages,,$(ALONE))
	$(GO) test -timeout $(TEST_TIMEOUT) -p 1 $(ARGS) $(call packages,,$(DEBEZIUM))
	cd test/deploy/lint && $(GO) test -timeout $(TEST_TIMEOUT) ./... # a module of its own

.PHONY: docs
docs: ## Make what is generated in docs/ and deploy/ again
	$(GO) test ./test/deploy -run 'TestMetricsDocument|TestPrometheusRule' -count=1 -args -update
	$(GO) test ./test/docs -run TestConfigurationReference -count=1 -args -update

.PHONY: compat
compat: tools ## Compare with the real Debezium only, byte for byte; FULL=1 runs everything
	$(GO) test -timeout 60m ./test/golden ./test/debezium/... ./test/compat/records
	$(GO) test -timeout 60m ./test/compat $(if $(FULL),-args -full)

.PHONY: check
check: ## Check formatting, go vet and staticcheck
	@unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { printf 'not formatted by gofmt:\n%s\n' "$$unformatted" >&2; exit 1; }
	$(GO) vet ./...
	@if command -v staticcheck >/dev/null; then echo staticcheck ./...; staticcheck ./...; \
	else set -x; $(GO) run honnef.co/go/tools/cmd/staticcheck@$(STATICCHECK_VERSION) ./...; fi

.PHONY: quickstart
quickstart: ## Show the relay at work on servers of its own; ARGS=-once for a short run
	@$(GO) build -o bin/quickstart ./cmd/quickstart
	@bin/quickstart $(ARGS)

.PHONY: bench
bench: ## Measure the relay beside pg_recvlogical (and Debezium) on servers of its own; QUICK=1 in minutes
	$(GO) run ./test/bench $(if $(QUICK),-quick) $(ARGS)

.PHONY: soak
soak: tools ## Run ROUNDS of faults drawn from SEED (each round counts it up); a failing round prints its seed
	$(GO) run ./test/soak -rounds $(or $(ROUNDS),15) -seed $(or $(SEED),0) $(ARGS)

.PHONY: prunebench
prunebench: ## Measure what inserts feel of the pruner, on servers of its own; ARGS='-rows 100000' for a short run
	$(GO) run ./test/prune/bench $(ARGS)

.PHONY: microbench
microbench: ## Run the benchmarks of single packages, with allocations
	$(GO) test -run '^$$' -bench . -benchmem $(ARGS) $$($(GO) list ./... | grep -v /test/)

.PHONY: fuzz
fuzz: ## Run every fuzz target for 30 seconds
	@set -e; for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' "$$pkg" | grep '^Fuzz' || true); do \
			echo "$$pkg $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime 30s "$$pkg"; \
		done; \
	done

.PHONY: clean
clean: ## Remove what make build has made
	rm -rf bin
