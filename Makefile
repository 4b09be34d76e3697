# The targets of this package. A target installs what is missing for it, and for nothing else, after a message.
# Works from anywhere: make -C path/to/tidemark demo

.DEFAULT_GOAL := help
# Warnings are errors. Scripts set the same, since a build with other options compiles everything again.
export TIDEMARK_STRICT = 1
# Options of each debug build for the demo, the tests and the pages, such as --build-system swiftbuild.
BUILD ?=
export BUILD
.PHONY: help setup build demo test lint apple diagrams docs bench chart counts counts-accept coverage crash deploy-check explore fuzz inspector proof mutants planted postgres simulate transcript rules ci clean

# The sections of `make help`. A target that no section names is listed last, under "Other".
users = demo test build docs
checks = lint apple ci rules coverage crash deploy-check postgres
proofs = proof explore simulate transcript fuzz mutants planted
speed = bench chart counts counts-accept
upkeep = help setup diagrams clean

help: ## List the targets
	@awk -F ':.*## ' \
		-v sections='For users:$(users)|For contributors, checks:$(checks)|For contributors, proofs of the guarantees:$(proofs)|For contributors, speed:$(speed)|For contributors, upkeep:$(upkeep)' ' \
		function line(name) { printf "  make %-13s  %s\n", name, texts[name]; isListed[name] = 1 } \
		/^[a-z-]+:.*## / { texts[$$1] = $$2; names[++count] = $$1 } \
		END { \
			size = split(sections, section, "|"); \
			for (s = 1; s <= size; s++) { \
				split(section[s], part, ":"); \
				print (s > 1 ? "\n" : "") part[1] ":"; \
				most = split(part[2], name, " "); \
				for (i = 1; i <= most; i++) line(name[i]) \
			} \
			for (i = 1; i <= count; i++) if (!(names[i] in isListed)) { \
				if (!others++) print "\nOther:"; \
				line(names[i]) \
			} \
		}' Makefile

demo: setup-build ## Watch two devices and a server sync, conflict and agree
	@[ -e "$$(swift build $(BUILD) --show-bin-path)/tidemark" ] || echo "The first build takes about a minute; the demo takes less than a second."
	@swift build $(BUILD) --product tidemark
	@"$$(swift build $(BUILD) --show-bin-path)/tidemark" demo

test: setup-tests ## Run all tests, and list the failed ones at the end
	@scripts/tests

build: setup-build ## Build everything; warnings are errors
	swift build $(BUILD) --build-tests

lint: setup-lint ## Check format and style
	@scripts/lint

apple: setup-build ## Type-check for Apple's systems, without their SDKs
	@scripts/apple

diagrams: ## Draw the state diagrams from the tables, with Graphviz
	@scripts/diagrams

docs: setup-build ## Build the documentation, and check its links and examples
	@swift build $(BUILD)
	@scripts/contract
	@scripts/examples
	@scripts/public-types
	@scripts/docs

bench: setup-bench ## Measure speed, as ratios within one run; NAME=pull. selects
	@scripts/bench $(if $(NAME),'$(NAME)')

chart: setup-bench ## Measure all, and write the page about speed and its chart
	@scripts/bench >.build/bench.ndjson
	@scripts/bench --page Sources/Tidemark/Tidemark.docc <.build/bench.ndjson

counts: setup-counts ## Compare instruction counts with the committed ones; on Linux
	@scripts/counts

counts-accept: setup-counts ## Write the current instruction counts as the new level
	@scripts/counts --accept

coverage: setup-tests ## Run all tests under the address sanitizer, and check coverage
	@scripts/coverage

deploy-check: setup-build ## Check the files of deploy, without a container
	@scripts/deploy-check

inspector: setup-ci ## Test the inspector's page in a browser
	@swift build $(BUILD) --product tidemark
	@scripts/inspector-test

crash: setup-build ## Kill clients and servers while they work, KILLS=100 times
	@scripts/crash $(KILLS)

explore: setup-build ## Explore the run loop in every order of events
	@swift build -c release --product tidemark-proof
	@"$$(swift build -c release --show-bin-path)/tidemark-proof" explore --inputs 7

fuzz: setup-build ## Fuzz each entry point for FUZZ_SECONDS=60; on Linux
	@scripts/fuzz

mutants: setup-tests ## Check that a test notices each planted fault; NAME=X selects
	@scripts/mutants $(NAME)

planted: setup-build ## Check that simulation and exploration find planted faults
	@scripts/mutants --simulation $(if $(FILE),--file $(FILE)) $(NAME)
	@$(if $(FILE)$(NAME),,scripts/mutants --exploration)

proof: setup-tests ## Run all proofs, and write their table; RING=X selects
	@scripts/proof $(RING)

postgres: setup-build ## Kill servers that share a PostgreSQL, for SECONDS=20
	@scripts/postgres-many $(or $(SECONDS),20) $(SEED)

simulate: setup-build ## Simulate random events on devices and a server; SEEDS=7
	@scripts/simulate $(or $(SEEDS),1..1000) $(or $(STEPS),2000)

transcript: setup-build ## Compare all that the simulations do with the committed hashes
	@scripts/transcript

rules: ## List rules and scenarios with the number of their tests
	@scripts/rules
	@scripts/scenarios

ci: ## Run all checks that a change must pass
	@.ci/run

setup: setup-tests ## Install what build and tests need, if it is missing

# What is missing for a purpose; scripts/setup lists the purposes.
setups = setup-build setup-tests setup-counts setup-bench setup-lint
.PHONY: $(setups)
$(setups): setup-%:
	@scripts/setup --for-$*

clean: ## Delete the build
	rm -rf .build
