# ptyd - `make help` lists the targets.

VERSION  := 0.1.0
BUILD    ?= build
CC       ?= cc
PREFIX   ?= /usr/local
PKGS     := libuv vterm jansson libmd libpcre2-8 sqlite3 libseccomp
SANITIZER ?=
# Tests run so many at a time.
JOBS     ?= $(shell nproc)

comma    := ,
ifneq ($(SANITIZER),)
BUILD    := build/$(subst $(comma),-,$(SANITIZER))
endif

# A private libvterm (tests of another version): VTERM=/path/to/root/usr
ifdef VTERM
VTERM_LIB    := $(firstword $(wildcard $(VTERM)/lib/*/libvterm.so))
VTERM_CFLAGS := -I$(VTERM)/include
VTERM_RPATH  := -Wl,-rpath,$(dir $(VTERM_LIB))
VTERM_LIBS   := $(VTERM_LIB) $(VTERM_RPATH)
PKGS         := libuv jansson libmd libpcre2-8 sqlite3 libseccomp
endif

# A private libnats, as VTERM is; it needs that release's C library: LOADER=/path/to/root, for all that is built.
ifdef NATS
NATS_LIB     := $(firstword $(wildcard $(NATS)/lib/*/libnats.so))
endif
ifdef LOADER
LOADER_FLAGS := -Wl,--dynamic-linker=$(firstword $(wildcard $(LOADER)/usr/lib64/ld-*.so.* $(LOADER)/lib64/ld-*.so.*)) \
                -Wl,--disable-new-dtags,-rpath,$(dir $(firstword $(wildcard $(LOADER)/usr/lib/*/libc.so.6)))
endif

# Loaded where they are first used (base/late.h); the others the program is linked with.
LATE     := libuv.so=uv.h $(or $(VTERM_LIB),libvterm.so)=vterm.h libpcre2-8.so=pcre2.h \
            libsqlite3.so=sqlite3.h libwslay.so=wslay/wslay.h libmd.so=sha1.h libmd.so=sha2.h \
            libseccomp.so=seccomp.h
LATE_H    = $(foreach l,$(LATE),$(BUILD)/late/$(lastword $(subst =, ,$(l))))

# The relay needs two more libraries; without them `ptyd relay` says so. RELAY= builds without.
RELAY    ?= $(shell pkg-config --exists libnats libsodium && echo yes)
ifneq ($(RELAY),)
PKGS     += libnats libsodium
LATE     += $(or $(NATS_LIB),libnats.so)=nats/nats.h libsodium.so=sodium.h
endif

# Warnings are errors in CI alone: another compiler's new warning is not its user's fault.
WERROR   ?= $(filter true,$(CI))
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef \
            $(if $(filter 1 true,$(WERROR)),-Werror)
CFLAGS   ?= -O2 -g
ALL_CFLAGS = -std=gnu11 $(CFLAGS) $(WARNINGS) $(SANITIZE) -I. -I$(BUILD)/late $(VTERM_CFLAGS) \
             $(if $(NATS),-I$(NATS)/include) \
             $$(pkg-config --cflags $(PKGS)) -DPTYD_VERSION='"$(VERSION)"' $(if $(RELAY),-DPTYD_RELAY)
# What tests and measurements call themselves they are linked with. inih becomes part of the program where it
# can: one library less to load at every start.
INIH      := $(or $(wildcard $(shell pkg-config --variable=libdir inih 2>/dev/null)/libinih.a),-linih)
LIBS       = $(VTERM_RPATH) $(LOADER_FLAGS) $$(pkg-config --libs jansson) $(INIH)
TEST_LIBS  = $(VTERM_LIBS) $(LOADER_FLAGS) $$(pkg-config --libs $(PKGS)) $(INIH)
ifneq ($(SANITIZER),)
SANITIZE := -fsanitize=$(SANITIZER) -fno-sanitize-recover=all -fno-omit-frame-pointer
# They look into their own process, and start threads and others to do so: nothing is taken from the worker.
SANITIZE += -DPTYD_SANITIZED
# Its fences order what another process finds behind a death: no thread waits for them.
SANITIZE += $(if $(filter thread,$(SANITIZER)),-Wno-tsan)
endif

BASE     := $(wildcard base/*.c)
VTERM_C  := $(wildcard vterm_snapshot/*.c)
ENVELOPE := $(wildcard envelope/*.c envelope/*/*.c)
PTYD     := $(wildcard ptyd/*.c ptyd/*/*.c)
PTYD     := $(if $(RELAY),$(PTYD),$(filter-out ptyd/relay/%,$(PTYD)) ptyd/relay/without.c)
LIBRARY  := $(BASE) $(VTERM_C) $(ENVELOPE) $(filter-out ptyd/main.c,$(PTYD))

objects  = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
UNIT     := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(filter tests/unit/test_%,$(wildcard tests/unit/*.c)))
UNIT     := $(if $(RELAY),$(UNIT),$(filter-out %/test_relay %/test_relay_in %/test_relay_unsent,$(UNIT)))
# Those that take long, beside a sanitizer above all, begin first.
SLOW     := %/test_bypass %/test_takeover %/test_session_files
UNIT     := $(filter $(SLOW),$(UNIT)) $(filter-out $(SLOW),$(UNIT))
TORTURES := $(filter %/test_torture_files %/test_torture_libraries %/test_torture_tracker,$(UNIT))
SCRIPTS  := $(BUILD)/obj/scripts.o
LIB      := $(BUILD)/libptyd.a
SUCCESSORS := $(BUILD)/later/ptyd $(BUILD)/later/sick $(BUILD)/later/former
# A person's terminal, and a program that asks it (tests/outer).
OUTER    := $(BUILD)/outer $(BUILD)/ask
# All that end-to-end tests start.
STARTED  := $(addprefix $(BUILD)/,ptyd standin faults.so shim.so racer) $(SUCCESSORS) $(OUTER)
# What the measurements run: built by every check, so that none is left behind by a change.
BENCHES := $(addprefix $(BUILD)/,engine reflow writer fair proxy prompt $(if $(RELAY),fleet))

all: $(BUILD)/ptyd ## build build/ptyd

$(BUILD)/ptyd: $(BUILD)/obj/ptyd/main.o $(LIB)
	@echo "  link  $@"
	@$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^ $(LIBS)

# Everything but main: what the program, the tests and the measurements are linked with.
$(LIB): $(call objects,$(LIBRARY)) $(SCRIPTS) $(BUILD)/obj/late.o $(BUILD)/sources
	@echo "  ar    $@"
	@rm -f $@
	@ar rcs $@ $(filter %.o,$^)

# In front of the late libraries' own headers. They change only where a function is used that was not.
$(BUILD)/late/made: $(LIBRARY) $(BUILD)/sources tools/late Makefile | need-build
	@CC='$(CC)' sh tools/late $(BUILD)/late $(LATE) -- $(LIBRARY)
	@touch $@

$(BUILD)/late/late.c $(LATE_H): $(BUILD)/late/made
	@:

$(BUILD)/obj/late.o: $(BUILD)/late/late.c $(BUILD)/flags
	@$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/obj/%.o: %.c Makefile $(BUILD)/flags | need-build $(BUILD)/late/made
	@mkdir -p $(dir $@)
	@echo "  cc    $<"
	@$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# What make does not see by itself: a source that is gone leaves the library, and what was compiled with
# other flags is compiled again.
$(BUILD)/sources: NOW = $(sort $(LIBRARY))
$(BUILD)/flags: NOW = $(CC) $(CFLAGS) $(WARNINGS) $(VTERM) $(NATS) $(RELAY)
$(BUILD)/sources $(BUILD)/flags: always
	@mkdir -p $(BUILD)
	@echo '$(NOW)' | cmp -s - $@ || echo '$(NOW)' >$@

# The integration scripts become part of the program.
$(BUILD)/obj/scripts.c: $(wildcard shell/*) tools/embed tools/folded Makefile
	@mkdir -p $(dir $@)
	@sh tools/folded shell/bash.sh > $(BUILD)/obj/bash.sh
	@sh tools/embed script_bash $(BUILD)/obj/bash.sh script_zsh shell/zsh.zsh \
	    script_fish shell/fish.fish script_posix shell/posix.sh > $@

$(SCRIPTS): $(BUILD)/obj/scripts.c $(BUILD)/flags
	@$(CC) $(ALL_CFLAGS) -c -o $@ $<

# ---- tests ----
#
# tests/run says in one line what each file of tests did, and counts. $(call each,COMMAND): with each line
# of its input for NAME, side by side.
each = xargs -P $(JOBS) -I NAME $(1)

$(BUILD)/obj/tests/unit/%.o: | need-check

# What allocates, for tests in which that fails (tests/unit/torture.h).
$(BUILD)/tests/test_torture_%: WRAPPED = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup,--wrap=vasprintf,--wrap=free

$(BUILD)/tests/%: $(BUILD)/obj/tests/unit/%.o $(LIB)
	@mkdir -p $(dir $@)
	@$(CC) $(CFLAGS) $(SANITIZE) $(WRAPPED) -o $@ $^ $(TEST_LIBS) $$(pkg-config --libs cmocka)

check: deps-check ## build and run every test; says what was skipped and why
	@$(MAKE) --no-print-directory -j$(JOBS) $(STARTED) $(UNIT) $(BENCHES)
	@rm -f build/results
	@status=0; $(MAKE) -k --no-print-directory -j2 check-all || status=1; sh tests/run total $$status
	@echo "All checks passed."

# Two of them side by side: each waits for one process alone for a while, the end-to-end tests most of their time.
check-all: check-lint check-unit check-replay check-systemd check-e2e

check-lint: $(BUILD)/ptyd
	@sh tests/run lint tools-lint $(MAKE) --no-print-directory lint
	@sh tests/run lint arrows sh tests/lint/run
	@PTYD=$(abspath $(BUILD)/ptyd) sh tests/run lint empty sh tests/lint/empty

check-unit: $(UNIT) ## the unit tests (cmocka)
	@printf '%s\n' $(notdir $(UNIT)) | $(call each,sh tests/run unit NAME env CMOCKA_MESSAGE_OUTPUT=TAP $(BUILD)/tests/NAME)

# What CI takes a sample of, whole.
check-torture: $(TORTURES) ## each allocation of the torture tests fails once
	@failed=0; for t in $(TORTURES); do \
	    TORTURE=all sh tests/run torture $${t##*/} $$t || failed=1; \
	done; exit $$failed

check-replay: $(BUILD)/ptyd ## recorded traces against their goldens, also byte by byte
	@PTYD=$(BUILD)/ptyd sh tests/replay/run

check-e2e: $(STARTED) ## real shells, a real daemon, the real codex (NAMES='runs baton': these alone)
	@PTYD=$(abspath $(BUILD)/ptyd) JOBS=$(JOBS) sh tests/e2e/run $(if $(NAMES),--these $(NAMES))

check-shells: $(BUILD)/ptyd ## every installed shell in every situation, as a table
	@PTYD=$(abspath $(BUILD)/ptyd) node tests/e2e/shells.js

check-other-shells: $(BUILD)/ptyd ## the same for shells of other Debian releases, unpacked privately
	@PTYD=$(abspath $(BUILD)/ptyd) tests/e2e/other-shells build/other-shells

check-ledger: $(BUILD)/ptyd $(BUILD)/standin ## 10,000 flushes with everything killed around them
	@PTYD=$(abspath $(BUILD)/ptyd) node tests/e2e/ledger.js

check-relay: $(BUILD)/ptyd ## 10,000 commands of five hosts through a hub while all of it is killed, cut and full (8 min)
	@PTYD=$(abspath $(BUILD)/ptyd) BLOCKS=10000 sh tests/run long relay node tests/e2e/relay_kills.js

check-forms: $(BUILD)/tests/test_forms ## a million random values in every field of every form that models read (3 min)
	@FORMS=1000000 sh tests/run unit forms $(BUILD)/tests/test_forms

check-receipts: $(BUILD)/ptyd ## 1,000 turns of the real codex: what it has is what its receipts say (10 min)
	@PTYD=$(abspath $(BUILD)/ptyd) TURNS=1000 LONG=1 sh tests/e2e/run receipts

check-forget: $(BUILD)/ptyd $(BUILD)/faults.so ## a worker's death at every change of a file that `ptyd forget` and redact_disk make (3 min)
	@PTYD=$(abspath $(BUILD)/ptyd) LONG=1 ONLY='in the midst' node tests/e2e/forget.js
	@PTYD=$(abspath $(BUILD)/ptyd) LONG=1 ONLY='switched on|without the setting|at a change' node tests/e2e/redact_disk.js

check-search: $(BUILD)/ptyd ## 200 random patterns, compared with a plain scan (1 min)
	@PTYD=$(abspath $(BUILD)/ptyd) PATTERNS=200 ONLY='random patterns' node tests/e2e/search.js

check-long: check-torture check-short check-harms check-kills check-runs check-ledger check-search check-forget check-forms check-receipts check-relay ## what `make check` samples, whole (an hour)

check-runs: $(BUILD)/ptyd ## 100 runs over 20 sessions of four shells, and half-typed lines (1 min)
	@PTYD=$(abspath $(BUILD)/ptyd) RUNS=100 SESSIONS=20 node tests/e2e/runs.js

check-kills: $(BUILD)/ptyd ## 1,000 deaths of the worker from outside (8 min)
	@PTYD=$(abspath $(BUILD)/ptyd) KILLS=1000 node tests/e2e/kills.js

check-races: $(BUILD)/ptyd $(BUILD)/racer ## 5,000 commands a shell and pause while a job prints into their marks (half an hour)
	@PTYD=$(abspath $(BUILD)/ptyd) COMMANDS=5000 node tests/e2e/races.js

check-sequences: $(BUILD)/ptyd ## 1,000 lines a shell in a random order, each against the shell's own word (10 min)
	@PTYD=$(abspath $(BUILD)/ptyd) LINES=1000 node tests/e2e/sequences.js

check-harms: $(BUILD)/ptyd $(UNIT) ## every state file damaged in every way (half an hour)
	@failed=0; export LONG=1 PTYD=$(abspath $(BUILD)/ptyd); \
	sh tests/run long pair $(BUILD)/tests/test_pair || failed=1; \
	sh tests/run long harms $(BUILD)/tests/test_harms || failed=1; \
	sh tests/run long harms-e2e node tests/e2e/harms.js || failed=1; \
	exit $$failed

# SOAK_S seconds, an hour by default; SEED repeats one.
SOAK_S   ?= 3600
KILLS    ?= 1000
soak: $(BUILD)/ptyd $(BUILD)/standin ## an hour (SOAK_S) of mixed load under KILLS (1,000) kills
	@PTYD=$(abspath $(BUILD)/ptyd) SOAK_S=$(SOAK_S) KILLS=$(KILLS) node tests/e2e/soak.js

check-ways: $(BUILD)/ptyd ## every way to the real codex, as a table (CODEX=path; see tests/e2e/run)
	@PTYD=$(abspath $(BUILD)/ptyd) sh tests/e2e/run ways

CODEXES := 0.169.0 0.160.1
check-codexes: $(BUILD)/ptyd ## the codex TUI where it has run before, and `ptyd notify`, with each of CODEXES from npm (2 min)
	@for version in $(CODEXES); do \
	    npm install --silent --no-audit --no-fund --prefix build/codexes/$$version @openai/codex@$$version && \
	    ONLY='plain codex TUI' CODEX=$(abspath build/codexes)/$$version/node_modules/.bin/codex PTYD=$(abspath $(BUILD)/ptyd) sh tests/e2e/run ways && \
	    CODEX=$(abspath build/codexes)/$$version/node_modules/.bin/codex PTYD=$(abspath $(BUILD)/ptyd) sh tests/e2e/run notify || exit 1; \
	done

# Installed once, below build/; from npm, in a minute.
AGENTS_NPM := @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/inspector@0.15.0 @modelcontextprotocol/client@2.4.0
AGENTS   := codex=@openai/codex@0.169.0 claude=@anthropic-ai/claude-code@2.1.330 gemini=@google/gemini-cli@0.61.0 \
            opencode=opencode-ai@1.18.33 qwen=@qwen-code/qwen-code@0.24.4 copilot=@github/copilot@1.0.102
check-agents: $(BUILD)/ptyd ## `ptyd mcp` with the protocol's own SDKs and inspector, and agents with a mock model, from npm, as tables (6 min)
	@command -v npm >/dev/null || { echo "npm is not here (apt-get install npm)" >&2; exit 1; }
	@mkdir -p build/agents/sdk && npm install --silent --no-audit --no-fund --ignore-scripts --prefix build/agents/sdk $(AGENTS_NPM)
	@PTYD=$(abspath $(BUILD)/ptyd) sh tests/run agents clients node tests/agents/clients.js build/agents/sdk
	@PTYD=$(abspath $(BUILD)/ptyd) sh tests/agents/run $(AGENTS)

# npm installs each within a minute. What takes longest begins first; qwen, a relative of gemini's, is left to check-agents.
AGENTS_CI := $(filter gemini%,$(AGENTS)) $(filter-out gemini% qwen%,$(AGENTS))
check-agents-ci: $(BUILD)/ptyd ## of these what does not take long, as CI runs it; without npm's registry it says so (1 min)
	@PTYD=$(abspath $(BUILD)/ptyd) sh tests/agents/run --ci $(AGENTS_CI)

check-sandbox: $(BUILD)/ptyd ## what a command in codex's sandbox sees of ptyd (CODEX=path; build/codex)
	@PTYD=$(abspath $(BUILD)/ptyd) node tests/agents/sandbox.js $(or $(CODEX),build/codex/node_modules/.bin/codex)

check-systemd: $(BUILD)/ptyd $(SUCCESSORS) ## the units, with systemd-analyze
	@PTYD=$(abspath $(BUILD)/ptyd) sh tests/run systemd units sh tests/e2e/units

# What makes a daemon fail, loaded into it.
$(BUILD)/faults.so: tests/e2e/faults.c
	@mkdir -p $(BUILD)
	@$(CC) -std=gnu11 -fPIC -shared $(CFLAGS) $(WARNINGS) -o $@ $<

$(BUILD)/outer: $(patsubst %,$(BUILD)/obj/tests/outer/%.o,outer terminal screen) $(LIB)
	@$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^ $(TEST_LIBS) -lutil

$(BUILD)/ask: $(BUILD)/obj/tests/outer/ask.o
	@$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^

# What tests put in the daemon's place: a later version, whose table and memory are others, and one that
# is sick there. What does not know of that is linked as it is.
LATER     := $(shell grep -lE 'PTYD_VERSION|TABLE_LATER|RING_BYTES' $(PTYD))
LATER_O   := $(patsubst %.c,$(BUILD)/obj/later/%.o,$(sort ptyd/main.c $(LATER)))

$(BUILD)/obj/later/%.o: %.c Makefile $(BUILD)/flags
	@mkdir -p $(dir $@)
	@$(CC) $(ALL_CFLAGS) -UPTYD_VERSION -DPTYD_VERSION='"9.9.9"' -DTABLE_LATER=40 -DRING_BYTES=60000 -MMD -MP -c -o $@ $<

$(BUILD)/later/ptyd: $(LATER_O) $(LIB)
	@mkdir -p $(dir $@)
	@$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^ $(LIBS)

# One whose shells print marks as they were before they ended with their length.
$(BUILD)/obj/former.c: $(wildcard tests/e2e/former/*) tools/embed Makefile
	@mkdir -p $(dir $@)
	@cd tests/e2e/former && sh ../../../tools/embed script_bash bash.sh script_zsh zsh.zsh \
	    script_fish fish.fish script_posix posix.sh > $(abspath $@)

$(BUILD)/obj/former.o: $(BUILD)/obj/former.c $(BUILD)/flags
	@$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/later/former: $(BUILD)/obj/ptyd/main.o $(BUILD)/obj/former.o $(LIB)
	@mkdir -p $(dir $@)
	@$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^ $(LIBS)

$(BUILD)/later/sick: $(LATER_O) $(BUILD)/obj/tests/e2e/sick.o $(LIB)
	@mkdir -p $(dir $@)
	@$(CC) $(CFLAGS) $(SANITIZE) -Wl,--wrap=keeper_run,--wrap=worker_main -o $@ $^ $(LIBS)

# Every read and write falls short (tests/e2e/shim.c).
check-short: $(BUILD)/ptyd $(BUILD)/standin $(BUILD)/shim.so ## daemon, proxy and ledger while reads and writes fall short
	@failed=0; for t in daemon proxy ledger; do \
	    KILLS=10 FLUSHES=500 SHIM=$(abspath $(BUILD)/shim.so) PTYD=$(abspath $(BUILD)/ptyd) \
	        sh tests/run short $$t node tests/e2e/$$t.js || failed=1; \
	done; exit $$failed

$(BUILD)/shim.so: tests/e2e/shim.c
	@mkdir -p $(BUILD)
	@$(CC) -std=gnu11 -O2 $(WARNINGS) -shared -fPIC -o $@ $<

$(BUILD)/racer: tests/e2e/racer.c
	@mkdir -p $(BUILD)
	@$(CC) -std=gnu11 -O2 $(WARNINGS) -o $@ $<

$(BUILD)/standin: $(BUILD)/obj/tests/e2e/standin.o
	@$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^ $$(pkg-config --libs jansson)

demo: deps ## see the main job in ten seconds
	@$(MAKE) --no-print-directory $(BUILD)/ptyd $(BUILD)/standin
	@PTYD=$(abspath $(BUILD)/ptyd) STANDIN=$(abspath $(BUILD)/standin) bash tests/e2e/demo

check-faults: $(BUILD)/tests/test_faults $(BUILD)/tests/bare_faults ## libvterm's known faults, on ours and on libvterm alone
	@sh tests/unit/faults $^ $$(PKG_CONFIG_PATH=$(wildcard $(VTERM)/lib/*/pkgconfig) pkg-config --modversion vterm)

$(BUILD)/tests/bare_faults: $(BUILD)/obj/tests/unit/test_faults.o $(BUILD)/obj/tests/unit/bare_terminal.o $(LIB)
	@mkdir -p $(dir $@)
	@$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^ $(TEST_LIBS) -lcmocka

bench: bench-engine bench-reflow bench-pty bench-rebuild bench-return bench-session bench-proxy bench-prompt bench-fair bench-attach ## all measurements (35 min)

bench-engine: $(BUILD)/engine ## the terminal in memory against libvterm's screen layer
	@$(BUILD)/engine

bench-reflow: $(BUILD)/reflow ## another width for a terminal whose scrollback is full
	@$(BUILD)/reflow

bench-pty: deps-bench $(BUILD)/ptyd $(BUILD)/writer ## the daemon through a pty against a bare reader, tmux and screen
	@sh tests/bench/ptys $(abspath $(BUILD)/writer) $(abspath $(BUILD)/ptyd)
	@sh tests/bench/ptys $(abspath $(BUILD)/writer) $(abspath $(BUILD)/ptyd) 200x50 16

bench-rebuild: $(BUILD)/ptyd $(BUILD)/writer ## a worker killed behind a gigabyte of output
	@sh tests/bench/rebuilds $(abspath $(BUILD)/writer) $(abspath $(BUILD)/ptyd)

bench-return: $(BUILD)/ptyd ## a worker killed behind many sessions: until the next one answers
	@sh tests/bench/returns $(abspath $(BUILD)/ptyd)

# Beside what people use: an own server for all of them, the same terminal, interleaved.
bench-attach: deps-bench $(BUILD)/ptyd $(BUILD)/between $(OUTER) ## a terminal through ptyd beside plain, a bare relay, dtach, tmux (ROUNDS=5; 12 min)
	@PTYD=$(abspath $(BUILD)/ptyd) BETWEEN=$(abspath $(BUILD)/between) OUTER=$(abspath $(BUILD)/outer) node tests/bench/attach.js

bench-start: $(BUILD)/ptyd $(OUTER) ## where the time goes between bare ptyd and its prompt, as the kernel sees it (root; OLD=another ptyd, STARTS=20)
	@PTYD=$(abspath $(BUILD)/ptyd) OUTER=$(abspath $(BUILD)/outer) node tests/bench/start.js

bench-session: deps-bench $(BUILD)/ptyd ## memory of a session, and wakeups while nothing happens
	@sh tests/bench/sessions $(abspath $(BUILD)/ptyd)

bench-growth: $(BUILD)/ptyd $(BUILD)/commands ## SESSIONS=1000 at once, CLOSED=20000, COMMANDS=1000000 in one (0: not that)
	@PTYD=$(abspath $(BUILD)/ptyd) COMMANDS_SHELL=$(abspath $(BUILD)/commands) node tests/bench/growth.js

bench-search: $(BUILD)/ptyd ## the index of a million commands (BLOCKS=1000000): until it is made, and searches (10 min)
	@PTYD=$(abspath $(BUILD)/ptyd) node tests/bench/search.js

bench-agents: deps-bench $(BUILD)/ptyd ## from Enter to an agent's context, beside polled markers and pyte; searches in 50 MB (2 min)
	@PTYD=$(abspath $(BUILD)/ptyd) node tests/bench/agents.js

bench-redact: $(BUILD)/redact ## processor time of redaction, a MiB of this and that, hostile ones included (CLIMB=60: looks so many seconds for worse)
	@$(BUILD)/redact bench
	@$(if $(CLIMB),$(BUILD)/redact climb $(CLIMB))

check-linear: $(BUILD)/redact ## redaction's cost a byte does not grow with a text's length, of the corpora's lines (LINEAR_S=60)
	@cat tests/secrets/*.jsonl | $(BUILD)/redact grow $(or $(LINEAR_S),60)

SECRETS_NONE = $(wildcard /usr/include/*.h /usr/include/*/*.h /usr/share/doc/*/copyright /var/lib/dpkg/status)
check-secrets: $(BUILD)/redact ## what redaction finds of a corpus, by group, and what it takes for a secret (MISSED=1 shows it; CORPUS=FILE of JSON lines: of that one)
	@CORPUS="$(CORPUS)" node tests/secrets/check.js $(BUILD)/redact $(SECRETS_NONE)

# HOSTS, SECONDS; CONNECTIONS: they share so many, instead of one each; RATE: commands a second of a host.
bench-relay: $(BUILD)/ptyd $(BUILD)/fleet ## 1,000 hosts at one hub: end to end, memory, processor, and how many more (HOSTS, SECONDS; 4 min)
	@PTYD=$(abspath $(BUILD)/ptyd) FLEET=$(abspath $(BUILD)/fleet) node tests/bench/relay.js

bench-fair: $(BUILD)/ptyd $(BUILD)/fair ## key-to-echo while 0, 10, 100 others flood, beside script(1) (OLD=another ptyd)
	@sh tests/bench/fairness $(abspath $(BUILD)/fair) $(abspath $(BUILD)/ptyd) $(if $(OLD),$(abspath $(OLD)))

bench-prompt: $(BUILD)/prompt ## what the integration costs at a prompt, against other ways (AGAINST=COMMIT: beside that one's)
	@if [ "$(origin AGAINST)" = file ]; then sh tests/bench/prompts $(abspath $(BUILD)/prompt); else \
	    name=$$(git rev-parse --short "$(AGAINST)") && old=build/against/$$name && mkdir -p $$old && \
	    git archive "$(AGAINST)" shell | tar -x -C $$old && \
	    sh tests/bench/prompts $(abspath $(BUILD)/prompt) $$name $$old; fi

bench-proxy: $(BUILD)/ptyd $(BUILD)/standin $(BUILD)/proxy ## the proxy against a read/write relay
	@sh tests/bench/proxies $(abspath $(BUILD)/proxy) $(abspath $(BUILD)/ptyd) $(abspath $(BUILD)/standin)

# An older commit built beside this tree, from what git has of it. AGAINST: the commit.
AGAINST ?= HEAD~1
bench-against: $(BUILD)/ptyd $(BUILD)/engine $(BUILD)/writer $(BUILD)/standin $(BUILD)/proxy ## engine, pty and proxy beside AGAINST, paired (30 min)
	@name=$$(git rev-parse --short "$(AGAINST)") && old=build/against/$$name && mkdir -p $$old && \
	    git archive "$(AGAINST)" | tar -x -C $$old && \
	    NO_DEPS=1 $(MAKE) --no-print-directory -C $$old build/ptyd build/engine build/standin >$$old.log 2>&1 || \
	        { tail $$old.log; exit 1; }; \
	    sh tests/bench/against $(abspath $(BUILD)) $(abspath build/against)/$$name/build $$name

$(BUILD)/engine: $(BUILD)/obj/tests/bench/engine.o $(BUILD)/obj/tests/bench/works.o $(LIB)
	@$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^ $(TEST_LIBS)

$(BUILD)/reflow: $(BUILD)/obj/tests/bench/reflow.o $(LIB)
	@$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^ $(TEST_LIBS)

$(BUILD)/writer: $(BUILD)/obj/tests/bench/writer.o $(BUILD)/obj/tests/bench/works.o $(LIB)
	@$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^ $(TEST_LIBS) -lutil

$(BUILD)/commands: tests/bench/commands.c
	@mkdir -p $(BUILD)
	@$(CC) -std=gnu11 $(CFLAGS) $(WARNINGS) -o $@ $<

$(BUILD)/redact: $(BUILD)/obj/tests/bench/redact.o $(LIB)
	@$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^ $(TEST_LIBS)

$(BUILD)/fleet: $(BUILD)/obj/tests/bench/fleet.o $(LIB)
	@$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^ $(TEST_LIBS)

$(BUILD)/fair: $(BUILD)/obj/tests/bench/fair.o $(BUILD)/obj/tests/bench/works.o $(LIB)
	@$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^ $(TEST_LIBS)

$(BUILD)/proxy: tests/bench/proxy.c
	@mkdir -p $(BUILD)
	@$(CC) -std=gnu11 $(CFLAGS) $(WARNINGS) -o $@ $<

$(BUILD)/between: tests/bench/between.c
	@mkdir -p $(BUILD)
	@$(CC) -std=gnu11 $(CFLAGS) $(WARNINGS) -o $@ $< -lutil -pthread

$(BUILD)/prompt: tests/bench/prompt.c
	@mkdir -p $(BUILD)
	@$(CC) -std=gnu11 $(CFLAGS) $(WARNINGS) -o $@ $<

# libFuzzer, with address and undefined sanitizers; needs clang. FUZZ_S: seconds per target;
# FUZZ_RUNS: inputs at most, always the same ones (CI).
FUZZ_S   ?= 60
FUZZ_RUNS ?=
FUZZERS  := terminal mark preview replay turn leaving passage
FUZZ_C   := $(BASE) $(VTERM_C) $(ENVELOPE) $(wildcard ptyd/core/*.c) ptyd/command/progress.c $(filter-out %/cmd_replay.c,$(wildcard ptyd/replay/*.c))

FUZZED    = clang -std=gnu11 -g -O1 -fno-sanitize-recover=all
FUZZED_C  = $(FUZZED) -fsanitize=fuzzer-no-link,address,undefined -I. -I$(BUILD)/late $(VTERM_CFLAGS) $$(pkg-config --cflags $(PKGS))

$(addprefix build/fuzz/,$(FUZZERS)): build/fuzz/%: build/fuzz/obj/tests/fuzz/fuzz_%.o $(FUZZ_C:%.c=build/fuzz/obj/%.o) build/fuzz/obj/late.o
	@echo "  link  $@"
	@$(FUZZED) -fsanitize=fuzzer,address,undefined -o $@ $^ $(VTERM_LIBS) $$(pkg-config --libs vterm jansson libpcre2-8) $(INIH)

build/fuzz/obj/late.o: $(BUILD)/late/late.c
	@mkdir -p $(dir $@)
	@$(FUZZED_C) -c -o $@ $<

build/fuzz/obj/%.o: %.c Makefile | $(BUILD)/late/made
	@mkdir -p $(dir $@)
	@$(FUZZED_C) -MMD -MP -c -o $@ $<

# Every input kept in the tree, once: what was found before stays mended.
fuzz-corpus: $(addprefix build/fuzz/,$(FUZZERS)) ## the fuzz targets on the inputs in the tree
	@set -e; for f in $(FUZZERS); do \
	    echo "  fuzz  $$f, its corpus"; \
	    build/fuzz/$$f -runs=0 -timeout=5 tests/fuzz/corpus/$$f/* >build/fuzz/$$f.log 2>&1 || \
	        { tail -n 40 build/fuzz/$$f.log; exit 1; }; \
	done

# Random streams through the ways around libvterm and through libvterm, a share for each processor.
STREAMS  ?= 10000000
differential: $(BUILD)/tests/test_bypass ## STREAMS random streams (default ten million), compared with plain emulation
	@n=$$(nproc); echo "  differential, $(STREAMS) streams; progress in $(BUILD)/differential.*"; \
	    for i in $$(seq $$n); do \
	        BYPASS_FIRST=$$((i * 1000000000)) BYPASS_STREAMS=$$(($(STREAMS) / n)) $< >$(BUILD)/differential.$$i 2>&1 & \
	        pids="$$pids $$!"; \
	    done; \
	    failed=0; for p in $$pids; do wait $$p || failed=1; done; \
	    [ $$failed = 0 ] || { cat $(BUILD)/differential.*; exit 1; }

check-suites: $(BUILD)/ptyd ## what xterm.js, alacritty, libvterm, vt100 and esctest2 test terminals with; SUITES: a folder with clones of them
	@PTYD=$(abspath $(BUILD)/ptyd) node tests/suites/run.js $(SUITES)

check-schemas: ## examples/fleet by the schemas of Kubernetes and compose; SCHEMAS: a folder with them and what npm put there (tests/examples/run.js)
	@node tests/examples/run.js $(SCHEMAS)

check-casts: $(BUILD)/ptyd ## recordings that others published end as in xterm.js; CASTS: a folder of them, XTERMJS: one where npm put xterm.js
	@PTYD=$(abspath $(BUILD)/ptyd) XTERMJS=$(XTERMJS) node tests/suites/casts.js $(CASTS)

check-marks: $(BUILD)/ptyd $(BUILD)/outer ## blocks from the marks of others, of shells with their producers' scripts; MARKS: a folder with clones of these
	@PTYD=$(abspath $(BUILD)/ptyd) OUTER=$(abspath $(BUILD)/outer) node tests/marks/run.js $(MARKS)

SCREENS  ?= 10000
check-xterm: $(BUILD)/ptyd ## SCREENS random streams (10,000) through a real xterm under Xvfb, and through ptyd
	@PTYD=$(abspath $(BUILD)/ptyd) STREAMS=$(SCREENS) node tests/screens/xterm.js

fuzz: fuzz-targets differential ## libFuzzer targets, FUZZ_S seconds each (default 60), and STREAMS random streams

fuzz-targets: $(addprefix build/fuzz/,$(FUZZERS)) ## the libFuzzer targets alone
	@set -e; for f in $(FUZZERS); do \
	    mkdir -p build/fuzz/corpus-$$f; \
	    echo "  fuzz  $$f for $(FUZZ_S) s"; \
	    build/fuzz/$$f -max_total_time=$(FUZZ_S) $(if $(FUZZ_RUNS),-seed=1 -runs=$(FUZZ_RUNS)) -timeout=5 -rss_limit_mb=2048 -max_len=4096 \
	        -artifact_prefix=build/fuzz/ -dict=tests/fuzz/$$f.dict -print_final_stats=1 \
	        build/fuzz/corpus-$$f tests/fuzz/corpus/$$f >build/fuzz/$$f.log 2>&1 || { tail -n 40 build/fuzz/$$f.log; exit 1; }; \
	    grep -E 'number_of_executed_units|peak_rss' build/fuzz/$$f.log; \
	done

# Who includes and who calls whom, against ARCHITECTURE.md's table: from the sources and the objects.
# Who calls whom is in objects that nothing was inlined in, and that take a quarter of the time.
lint: ## the table of arrows in ARCHITECTURE.md, to the letter; shell scripts
	@sh tools/lint
	@$(MAKE) --no-print-directory -j$(JOBS) BUILD=build/lint CFLAGS="-O0 -g0" build/lint/ptyd
	@sh tools/arrows check build/lint/obj
	@sh tools/relocations build/lint/ptyd

arrows: $(BUILD)/ptyd ## the arrows as lint sees them
	@sh tools/arrows table $(BUILD)/obj

sizes: ## lines, files and functions of every room
	@sh tools/sizes

FORMATTED = $(wildcard base/*.[ch] vterm_snapshot/*.[ch] envelope/*.[ch] envelope/*/*.[ch] ptyd/*.[ch] ptyd/*/*.[ch] tests/*/*.[ch])

format: need-format ## clang-format over the sources
	@clang-format -i $(FORMATTED)

format-check: need-format ## fails when format would change something
	@clang-format --dry-run -Werror $(FORMATTED)

# ---- what must be there ----

deps: ## install what building needs (asks for sudo only when something is missing)
	@sh tools/deps build

deps-bench: ## install what the measurements compare with
	@sh tools/deps build bench

deps-check: ## install what the tests need
	@sh tools/deps build check tests

deps-ci: ## install what CI needs beyond that
	@sh tools/deps build check tests ci

# These install nothing: they say what is missing.
need-build:
	@sh tools/deps --need build

need-check:
	@sh tools/deps --need check

need-format:
	@command -v clang-format >/dev/null || { echo "clang-format is not here (apt-get install clang-format)" >&2; exit 1; }

install: $(BUILD)/ptyd ## into PREFIX (default /usr/local)
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/man/man5 $(DESTDIR)$(PREFIX)/share/man/man7
	install -m 644 docs/ptyd.1 $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 docs/*.5 $(DESTDIR)$(PREFIX)/share/man/man5
	install -m 644 docs/*.7 $(DESTDIR)$(PREFIX)/share/man/man7
	install -D -m 755 $(BUILD)/ptyd $(DESTDIR)$(PREFIX)/bin/ptyd
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/user
	sed 's|/usr/bin/ptyd|$(PREFIX)/bin/ptyd|' systemd/ptyd.service > $(DESTDIR)$(PREFIX)/lib/systemd/user/ptyd.service
	sed 's|/usr/bin/ptyd|$(PREFIX)/bin/ptyd|' systemd/ptyd-relay.service > $(DESTDIR)$(PREFIX)/lib/systemd/user/ptyd-relay.service
	install -m 644 systemd/ptyd.socket $(DESTDIR)$(PREFIX)/lib/systemd/user/ptyd.socket

clean: ## remove build/
	rm -rf build

help: ## this list
	@grep -hE '^[a-z-]+:.*##' Makefile | sed 's/:.*## /\t/' | awk -F '\t' '{printf "  %-14s %s\n", $$1, $$2}'

.PHONY: check-linear bench-agents check-agents-ci bench-relay bench-redact check-secrets all always check check-all check-lint check-unit check-faults check-replay check-e2e check-shells \
        check-other-shells check-relay check-agents check-sandbox check-codexes check-ledger check-receipts check-forget check-ways check-systemd demo bench bench-engine bench-reflow bench-pty \
        bench-prompt bench-against bench-proxy bench-rebuild bench-return bench-session differential fuzz \
        fuzz-targets fuzz-corpus lint arrows bench-fair bench-attach bench-start check-xterm check-suites check-casts check-schemas check-marks check-harms check-kills check-races check-sequences check-runs check-long check-short check-torture soak bench-growth sizes format format-check \
        deps deps-bench deps-check deps-ci need-build need-check need-format install clean help
.SECONDARY:
.DELETE_ON_ERROR:

-include $(shell find $(BUILD)/obj build/fuzz/obj -name '*.d' 2>/dev/null)
