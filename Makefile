# What people type. Every target sets itself up: libraries that are missing are installed, and it is said before.
# Works from anywhere: make -C path/to/tidemark demo

.DEFAULT_GOAL := help
.PHONY: help setup setup-bench build demo test lint diagrams docs bench chart counts counts-accept coverage crash deploy-check explore fuzz proof mutants planted postgres simulate rules ci clean

# What a user of Tidemark types, in this order; all others are below them.
users = demo test docs build

help: ## List the targets
	@awk -F ':.*## ' -v users='$(users)' ' \
		function line(name) { printf "  make %-13s %s\n", name, texts[name] } \
		/^[a-z-]+:.*## / { texts[$$1] = $$2; names[++count] = $$1 } \
		END { \
			for (i = 1; i <= split(users, first, " "); i++) { line(first[i]); isFirst[first[i]] = 1 } \
			print "\nFor work on Tidemark itself:"; \
			for (i = 1; i <= count; i++) if (!(names[i] in isFirst)) line(names[i]) \
		}' Makefile

demo: setup ## Watch two devices and a server come to agree
	@[ -e .build/debug/tidemark ] || echo "The first build takes some minutes; the demo itself less than a second."
	@swift build --product tidemark
	@"$$(swift build --show-bin-path)/tidemark" demo

test: setup ## Run all tests; those that fail are named again at the end
	@scripts/tests

build: setup ## Build everything, warnings are errors
	swift build --build-tests

lint: setup ## Check format and style
	@scripts/lint

diagrams: ## Draw the state diagrams again, from the tables (with Graphviz)
	@scripts/diagrams

docs: setup ## Build the site of the documentation, with every link and example checked
	@swift build
	@scripts/contract
	@scripts/examples
	@scripts/public-types
	@scripts/docs

bench: setup-bench ## Measure speed, as ratios within one run; BENCH_ONLY and BENCH_DATA are read, NAME=pull. chooses
	@scripts/bench $(if $(NAME),'$(NAME)')

chart: setup-bench ## Measure all, and write the page about speed and its chart
	@scripts/bench >.build/bench.ndjson
	@scripts/bench --page Sources/Tidemark/Tidemark.docc <.build/bench.ndjson

counts: setup ## Compare the instructions of core operations with what is committed; on Linux
	@scripts/counts

counts-accept: setup ## Commit to the instructions that are counted now
	@scripts/counts --accept

coverage: setup ## Run all tests under the address sanitizer, and compare the lines that they run with scripts/coverage.txt
	@scripts/coverage

deploy-check: setup ## Try the unit, the image and the compose file of deploy, as far as there need be no container
	@scripts/deploy-check

crash: setup ## Kill clients and servers while they work, 100 times or KILLS
	@scripts/crash $(KILLS)

explore: setup ## Play the large worlds of a record and of the run loop through, in every order
	@swift build -c release --product tidemark-proof
	@"$$(swift build -c release --show-bin-path)/tidemark-proof" explore --world large

fuzz: setup ## Fuzz each entrance for a minute, or FUZZ_SECONDS; on Linux
	@scripts/fuzz

mutants: setup ## Plant the faults of Mutants, each of which a test must notice; NAME=X chooses
	@scripts/mutants $(NAME)

planted: setup ## Plant the faults that the simulation and the explorers are to find, and let them look for each; NAME=X or FILE=heldout chooses
	@scripts/mutants --simulation $(if $(FILE),--file $(FILE)) $(NAME)
	@$(if $(FILE)$(NAME),,scripts/mutants --exploration)

proof: setup ## Run all that shows that the promises are kept, in parts, and write the table of HowWeKnow.md; RING=X chooses
	@scripts/proof $(RING)

postgres: setup ## Kill servers that share a PostgreSQL, for 20 seconds or SECONDS; SEED=7 chooses
	@scripts/postgres-many $(or $(SECONDS),20) $(SEED)

simulate: setup ## Let 1,000 seeds do what they like to devices and a server, for 2,000 steps each; SEEDS=7 chooses
	@scripts/simulate $(or $(SEEDS),1..1000) $(or $(STEPS),2000)

rules: ## List the rules of the specification and the scenarios, and how many tests name each
	@scripts/rules
	@scripts/scenarios

ci: ## Everything that is checked before a change is taken
	@.ci/run

setup: ## Install what is missing; quick and silent when nothing is
	@scripts/setup

setup-bench:
	@scripts/setup --for-bench

clean: ## Throw away what was built
	rm -rf .build
