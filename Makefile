# The ways to work on Helve; each installs what it is missing first.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

BUILD := build
CMAKE := cmake -G Ninja -S .

.PHONY: help build run test sanitize conformance clients bench soak coverage check check-quick format docs picture install uninstall package package-test clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 22

build: ## Build the program and the libraries into build/
	@scripts/deps build
	@$(CMAKE) -B $(BUILD) -DCMAKE_BUILD_TYPE=Release -DHELVE_TESTS=OFF --log-level=WARNING
	@cmake --build $(BUILD)

run: build ## Serve the tools over MCP, and say how to add them to an agent
	@$(BUILD)/helve serve

test: ## Build with warnings as errors and run all tests
	@scripts/deps test
	@scripts/test

sanitize: ## Run the unit tests under the address, undefined-behaviour and thread sanitizers
	@scripts/deps test
	@scripts/sanitize

conformance: ## Run the MCP conformance suite against server and client
	@scripts/deps test
	@$(CMAKE) -B $(BUILD)/test -DCMAKE_BUILD_TYPE=Release -DHELVE_WERROR=ON --log-level=WARNING
	@cmake --build $(BUILD)/test --target conformance_server conformance_client
	@tests/mcp/conformance.sh $(BUILD)/test

clients: build ## Check Helve in Claude Code, Codex, Gemini CLI, opencode and MCP Inspector
	@scripts/deps clients
	@tests/clients/run.sh $(BUILD)/helve

bench: ## Measure speed and memory beside peers
	@scripts/deps bench
	@scripts/bench

soak: ## Eight clients for 30 minutes (SOAK_MINUTES), fuzzing, large trees; SOAK_ONLY=clients for the first
	@scripts/deps soak
	@scripts/soak

coverage: ## Run the tests with counters, and print what they reach, folder by folder
	@scripts/deps test
	@scripts/coverage

check: ## Check formatting, layers, file sizes and lint
	@scripts/deps check
	@scripts/check

check-quick: ## The same without lint; each header must compile alone
	@scripts/deps check
	@scripts/check --quick

format: ## Format the sources
	@scripts/deps check
	@git ls-files '*.cc' '*.h' | xargs clang-format-19 -i

install: build ## Install below PREFIX (default /usr/local)
	@cmake --install $(BUILD) --prefix $(or $(PREFIX),/usr/local)

uninstall: ## Remove what make install wrote last
	@test -f $(BUILD)/install_manifest.txt || { echo "Nothing was installed from here."; exit 1; }
	@sed 's|/[^/]*$$||' $(BUILD)/install_manifest.txt | sort -ur | grep -E '/helve(/settings)?$$' >$(BUILD)/install_directories.txt || true
	@xargs -d '\n' rm -f <$(BUILD)/install_manifest.txt
	@xargs -rd '\n' rmdir --ignore-fail-on-non-empty <$(BUILD)/install_directories.txt
	@rm $(BUILD)/install_manifest.txt $(BUILD)/install_directories.txt

docs: build ## Write docs/tools.md and the table of event fields in docs/agent.md anew
	@$(BUILD)/helve tools --all --markdown >docs/tools.md
	@tests/docs/event_fields.py . --update

picture: build ## Record docs/approval.svg anew
	@scripts/deps test
	@scripts/picture

package: build ## Make build/helve_….deb
	@scripts/deps package
	@rm -f $(BUILD)/helve_*.deb
	@scripts/package $(BUILD) $(BUILD)

package-test: package ## Try the package on a bare Debian 12 (debootstrap, as root)
	@tests/package/bare.sh $(BUILD)/helve_*.deb

clean: ## Remove everything that was built
	@rm -rf build
