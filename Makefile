# One command each. `make` alone says what there is.

HEDDLE := target/release/heddle
DEMO := corpus/lost-update/lost-update.c

# A second test run is a waste: nextest where it is installed, cargo's own runner elsewhere.
TEST := $(shell cargo nextest --version >/dev/null 2>&1 && echo 'cargo nextest run' || echo 'cargo test')

.PHONY: help setup setup-tests setup-tables build demo quick test tables tables-engine tables-explain tables-nearest tables-recorder bless install
.PHONY: campaign-sequential campaign-explore campaign-graphs campaign-orders campaign-wishes campaign-nearest-graphs campaign-explanations
.PHONY: campaign-fidelity campaign-debian campaign-check campaign-flips campaign-strangers campaign-mutants
.PHONY: fuzz-ir fuzz-schedule fuzz-traces fuzz-graph fuzz-run

help:
	@echo 'make setup     install what heddle needs (clang 22, LLVM 22, a C compiler)'
	@echo 'make build     build target/release/heddle'
	@echo 'make demo      set up, build, find a lost update, replay it, explain it'
	@echo 'make quick     format, rules of the repository, unit tests, a few programs: below two minutes'
	@echo 'make test      format, clippy, all tests'
	@echo 'make install   install the heddle command with cargo'
	@echo 'make bless     accept the present output as the expected one'
	@echo 'make tables    measure, and print the tables'
	@echo 'make tables-engine   only those of the engine'
	@echo 'make tables-explain   only those of the explanations of traces'
	@echo 'make tables-nearest   only those of the nearest passing executions'
	@echo 'make tables-recorder   only what recording costs'
	@echo 'make tables-symbiosis   native failures of the Symbiosis paper, explained'
	@echo 'make tables-projections   what is shown, by how the passing order was looked for'
	@echo 'make tables-check   every cause in the programs of the ConcBugAssist paper'
	@echo 'make tables-explore   failures exposed from passing runs, beside the Cortex paper'
	@echo 'make tables-explore-corpus   every program of the corpus, explored from one native run that passed'
	@echo 'make tables-repair   verified patches of the corpus and of the programs of the ConcBugAssist paper'
	@echo 'make tables-repaired-speed  patched programs of the corpus against the human corrections, natively'
	@echo 'make tables-blind   verdicts on programs that were written blind'
	@echo 'make tables-sync   home-made barriers in programs in the manner of the BarrierFinder paper'
	@echo 'make tables-sync-tsan   ThreadSanitizer before and after the annotations of home-made synchronisation'
	@echo 'make tables-growth   how bounded checking grows with the size of programs'
	@echo 'make tables-memory   peak memory by program and command (BASELINE=path of another heddle compares)'
	@echo 'make campaign-sequential   compare many generated programs with their native runs (CASES=10000)'
	@echo 'make campaign-explore      explore many random programs in all settings (CASES=10000)'
	@echo 'make campaign-graphs       ask many random event graphs everything (CASES=10000)'
	@echo 'make campaign-orders       solve many random formulas with order (CASES=10000)'
	@echo 'make campaign-wishes        look for the best assignment of many random formulas (CASES=10000)'
	@echo 'make campaign-nearest-graphs   look for the nearest passing execution of many random graphs (CASES=10000)'
	@echo 'make campaign-check         check many generated programs, try all their schedules, judge every cause (CASES=10000)'
	@echo 'make campaign-flips         look for the fewest flips near runs of generated programs, judge them by all schedules (CASES=1000)'
	@echo 'make campaign-repair        repair many generated programs, judge every proven patch by all schedules (CASES=1500 FIRST=0)'
	@echo 'make campaign-budgets       hold commands to --time and --memory on corpus and costly programs (CASES=300 FIRST=0)'
	@echo 'make campaign-strangers     hold every engine against every other on programs of many features (CASES=5000 FIRST=0)'
	@echo 'make campaign-mutants      give heddle many damaged files of each kind (CASES=10000, FIRST=0)'
	@echo 'make campaign-fidelity     follow many native runs of the corpus in the VM (RUNS=50)'
	@echo 'make campaign-debian       build and record real programs from Debian source packages'
	@echo 'make fuzz-ir, fuzz-schedule, fuzz-traces, fuzz-graph, fuzz-run   throw random text at the readers (SECONDS=60)'

setup:
	@bench/setup

setup-tests: setup
	@bench/setup tests

build:
	cargo build --release -p cli

# heddle exits with 1 when it has found a failure, which is what the demo wants to see.
demo: setup build
	@rm -rf target/demo && mkdir -p target/demo
	@echo '$$ heddle run $(DEMO)'
	@$(HEDDLE) run $(DEMO) --schedule target/demo/lost-update.schedule </dev/null; test $$? -eq 1
	@echo
	@echo '$$ heddle replay target/demo/lost-update.schedule'
	@$(HEDDLE) replay target/demo/lost-update.schedule; test $$? -eq 1
	@echo
	@echo '$$ heddle explain $(DEMO)'
	@$(HEDDLE) explain $(DEMO) --schedule target/demo/explained.schedule </dev/null; test $$? -eq 1

# Integration tests beside the unit tests; `.config/nextest.toml` says which of their programs are taken.
QUICK := repository round_trip verify parse_errors schedule theory text semantics import questions figures render trace \
	commandline corpus checked explained golden

quick:
	cargo fmt --all --check
ifeq ($(TEST),cargo test)
	cargo test --quiet --workspace --lib --bins --test repository
else
	env --default-signal=INT,QUIT cargo nextest run --profile quick --workspace --lib --bins $(QUICK:%=--test %)
endif

test: setup-tests
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	# A shell's background jobs ignore these signals, and so would the programs that the tests start and end.
	env --default-signal=INT,QUIT $(TEST) --workspace

setup-tables: setup
	@bench/setup tables

tables: setup-tables build
	@bench/tables

tables-engine: setup-tables
	@cargo bench --quiet -p solve --bench engine -- $(CURDIR)/bench/results

tables-explain:
	@cargo bench --quiet -p diagnose --bench explain

tables-nearest: build
	@bench/nearest

tables-recorder: build
	@bench/overhead

.PHONY: tables-symbiosis
tables-symbiosis: build
	@bench/symbiosis

.PHONY: tables-projections
tables-projections: build
	@bench/projections

.PHONY: tables-check
tables-check: build
	@bench/concbugassist

.PHONY: tables-repair
tables-repair: build
	@bench/repair

.PHONY: tables-repaired-speed
tables-repaired-speed: build
	@bench/repaired-speed

.PHONY: tables-sync
tables-sync: build
	@bench/barriers
	@bench/sync bench/programs/blind/sync
	@bench/sync bench/programs/blind/sync2
	@bench/sync bench/programs/blind/sync3

.PHONY: tables-sync-tsan
tables-sync-tsan: setup-tests build
	@bench/sync-tsan bench/programs/blind/sync3 bench/programs/blind/sync2 bench/programs/blind/sync

.PHONY: tables-explore
tables-explore: build
	@bench/explore

.PHONY: tables-explore-corpus
tables-explore-corpus: build
	@bench/explore-corpus

.PHONY: tables-blind
tables-blind: build
	@bench/suite svlike check --time 60
	@bench/suite cxx check run --time 20

.PHONY: tables-growth
tables-growth: build
	@bench/growth

.PHONY: tables-memory
tables-memory: build
	@bench/memory

RUNS ?= 50
campaign-fidelity: setup-tests
	@bench/campaign fidelity $(RUNS)

# Resumable: CASES=100 FIRST=200 CORPUS=no-corpus goes on with the next seeds.
FIRST ?= 0
CORPUS ?= corpus
.PHONY: campaign-budgets
campaign-budgets: CASES := $(if $(filter command line,$(origin CASES)),$(CASES),300)
campaign-budgets: build
	@bench/budgets $(CASES) $(FIRST) $(CORPUS)

campaign-debian: build
	@bench/debian

bless:
	INSTA_UPDATE=always HEDDLE_BLESS=1 cargo test --workspace

CASES ?= 10000
campaign-sequential campaign-explore campaign-graphs campaign-orders campaign-wishes campaign-nearest-graphs campaign-check campaign-flips: campaign-%: setup
	@bench/campaign $* $(CASES) $(FIRST)

.PHONY: campaign-repair
# About a third of the programs fails.
campaign-repair: CASES := $(if $(filter command line,$(origin CASES)),$(CASES),1500)
campaign-repair: setup
	@bench/campaign repair $(CASES) $(FIRST)

campaign-mutants: setup
	@bench/campaign mutants $(CASES) $(FIRST)

campaign-strangers: CASES := $(if $(filter command line,$(origin CASES)),$(CASES),5000)
campaign-strangers: setup
	@bench/campaign strangers $(CASES) $(FIRST)

SECONDS ?= 60
fuzz-ir fuzz-schedule fuzz-traces fuzz-graph fuzz-run: fuzz-%:
	@bench/fuzz $* $(SECONDS)

install: setup
	cargo install --locked --path cli
