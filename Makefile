# Everything lives in .venv of this checkout; a second run reuses it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help demo docs test test-all fuzz attack lint format bench r2r r2r-pixels r2r-rows r4r ndh reverie reverie-names languages together records augmented augmented-second pretrained recording release vendor clean

help:  ## Show this list
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## +/\t/; s/\$$\$$/$$/' | expand -t 18

demo: $(READY)  ## Build 36 homes, train two agents in them, show scores and pictures
	$(BIN)/mtvm demo

PYTEST := OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist worksteal --durations 10
test: $(READY)  ## Run the tests, in under five minutes on two cores
	$(PYTEST) -m "not slow"

test-all: $(READY)  ## Run all tests, also those that take long: processes, kills, races, every study
	$(PYTEST)

CASES ?= 50000
fuzz: $(READY)  ## Spoil files of every kind and see that each is refused in one sentence; CASES=n of them
	OMP_NUM_THREADS=1 $(BIN)/python tests/fuzz/fuzzing.py --cases $(CASES)

attack: fuzz  ## The same, then 1,000 races of two processes and 250 kills; see docs/reliability.md
	OMP_NUM_THREADS=1 $(BIN)/python tests/fuzz/racing.py
	OMP_NUM_THREADS=1 PYTHONPATH=tests/learning $(BIN)/python tests/fuzz/killing.py --kills 50
	OMP_NUM_THREADS=1 PYTHONPATH=tests/learning $(BIN)/python tests/fuzz/killing.py --kills 50 --processes 2
	OMP_NUM_THREADS=1 $(BIN)/python tests/fuzz/killing_writers.py --kills 150

lint: $(READY)  ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)  ## Bring the code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(READY)  ## Build the documentation as a site in build/site
	$(BIN)/pip install --quiet --constraint constraints.txt -e '.[docs]'
	$(BIN)/python tools/lines.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "build/site/index.html; with its search: python3 -m http.server --directory build/site"

bench: $(READY)  ## Measure speed; see docs/speed.md
	$(BIN)/python benchmarks/world.py
	$(BIN)/python benchmarks/features.py
	$(BIN)/python benchmarks/render.py
	$(BIN)/python benchmarks/homes.py
	$(BIN)/python benchmarks/extract.py
	$(BIN)/python benchmarks/model.py --sizes small-256
	$(BIN)/python benchmarks/training.py
	$(BIN)/python benchmarks/recipe.py
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/long_run.py

# Rows of docs/notebook/results.md on real R2R, on one core each; two of them run side by side. $MTVM_DATA names the data; SEED=1 and SEED=2 are the
# other seeds. What one row takes from another is made first.
SEED ?= 0
RUN = runs/seed$(SEED)
ONE_CORE := OMP_NUM_THREADS=1 $(BIN)/mtvm
R2R = $(ONE_CORE) train r2r-map --seed $(SEED)
ANNOTATED := --data.sight names+guesses
AUGMENTED := --data.train r2r/train prevalent/releases/r2r-augmented.json.gz
A2C := --loss.a2c.weight 3 --loss.a2c.value-coefficient 0.1 --loss.imitation.weight 0 --loss.imitation.student-weight 0.3 --loss.teacher-forced-updates 0 \
  --optimizer.lr 3e-4 --optimizer.updates 800 --selection.every 200
TRAINED_ON := --optimizer.lr 5e-4 --loss.teacher-forced-updates 0
HALF := --optimizer.updates 1750 --selection.every 350 --loss.teacher-forced-updates 500
SEEN_DONE := eval/r2r-val_seen/metrics.json
DONE := eval/r2r-val_unseen/metrics.json
.SECONDARY:

r2r: $(RUN)/r2r-annotated/$(DONE)  ## Train on real R2R, by imitation, then with A2C too; privileged: it sees the names that people gave ($$MTVM_DATA names the data)
r2r-pixels: $(RUN)/r2r-pixels/$(DONE)  ## The same from captions only: names guessed from captions

runs/seed%/r2r-annotated/$(DONE): | $(READY)
	$(ONE_CORE) train r2r-annotated --seed $* --out runs/seed$*/r2r-annotated
runs/seed%/r2r-pixels/$(DONE): | $(READY)
	$(ONE_CORE) train r2r-pixels --seed $* --out runs/seed$*/r2r-pixels

# One row each, half of the updates of imitation: make row-all, row-no-memory, ... ; make r2r-rows walks through all of them.
ROWS := all no-memory recurrent consistency pretrained a2c environment-dropout trained-reader blind not-augmented unfiltered second-round
.PHONY: $(ROWS:%=row-%)
r2r-rows: $(ROWS:%=row-%)  ## What its parts are worth, by half of the imitation: all of it, then with one part changed each

all := $(ANNOTATED) $(AUGMENTED)
no-memory := $(all) --model.history none
recurrent := $(all) --model.history recurrent
consistency := $(all) --loss.consistency.enabled --loss.word-dropping 0
pretrained = $(all) --init $(RUN)/pretrained/best --loss.teacher-forced-updates 0
a2c = $(all) --init $(RUN)/half-all/best $(A2C)
environment-dropout := $(all) --data.environment-dropout 0.3
# Half as many updates, for about as many minutes: by a count of operations, not measured.
trained-reader := $(all) --model.reader-layers 6 --model.train-reader --optimizer.updates 875 --selection.every 175 --loss.teacher-forced-updates 250
blind := $(AUGMENTED) --data.sight blind
not-augmented := $(ANNOTATED)
unfiltered := $(ANNOTATED) --data.train r2r/train prevalent/runs/unfiltered.json.gz
second-round := $(ANNOTATED) --data.train r2r/train prevalent/releases/r2r-augmented-second.json.gz
$(ROWS:%=row-%): row-%: $(RUN)/half-%/$(DONE)
$(ROWS:%=$(RUN)/half-%/$(DONE)): $(RUN)/half-%/$(DONE): | $(READY)
	$(R2R) --out $(RUN)/half-$* $(HALF) $($*)
$(RUN)/half-unfiltered/$(DONE): | runs/unfiltered.json.gz
$(RUN)/half-pretrained/$(DONE): | $(RUN)/pretrained/$(SEEN_DONE)
$(RUN)/half-a2c/$(DONE): | $(RUN)/half-all/$(DONE)

# --data.guesser: names guessed as in the other rows; otherwise the networks would learn anew, from REVERIE's instructions too.
$(RUN)/pretrained/$(SEEN_DONE): | $(READY) runs/r4r/R4R_train.json
	$(ONE_CORE) pretrain r2r-map --seed $(SEED) --out $(RUN)/pretrained $(ANNOTATED) --data.guesser releases/r2r-annotated \
	  --optimizer.updates 600 --selection.every 600 --data.evaluate r2r/val_seen \
	  --data.train r2r/train r4r/runs/r4r/R4R_train.json reverie/train prevalent/releases/r2r-augmented.json.gz

r4r: $(RUN)/r2r-annotated/$(DONE) runs/r4r/R4R_train.json runs/r4r/R4R_val_seen.json runs/r4r/R4R_val_unseen.json  ## Long paths, by the agent of make r2r: how much memory they need
	$(R2R) --out $(RUN)/r4r --init $(RUN)/r2r-annotated/best $(ANNOTATED) --data.train r4r/runs/r4r/R4R_train.json r2r/train \
	  --selection.split r4r/runs/r4r/R4R_val_seen.json --data.evaluate r4r/runs/r4r/R4R_val_unseen.json \
	  $(TRAINED_ON) --optimizer.updates 1500 --selection.every 500
	for steps in 0 1 2 4 8; do $(ONE_CORE) eval $(RUN)/r4r --memory-steps $$steps || exit 1; done

ndh: runs/follower/$(SEEN_DONE) runs/r4r/R4R_train.json  ## Dialogs: by an agent that learnt R2R, reads dialogs in the built-in world, then learns R2R and R4R; three supervisions
	$(BIN)/mtvm homes build --features names --out runs/homes
	$(R2R) --out $(RUN)/dialogs --init runs/follower/best --model.max-text 300 --data.folder runs/homes --data.train ndh/train r2r/train \
	  --selection.split ndh/val_seen --data.evaluate ndh/val_unseen $(TRAINED_ON) --optimizer.updates 600 --selection.every 300
	$(R2R) --out $(RUN)/ndh --init $(RUN)/dialogs/best --model.max-text 300 --data.train r2r/train r4r/runs/r4r/R4R_train.json \
	  --selection.split ndh/val_seen --data.evaluate ndh/val_seen ndh/val_unseen $(TRAINED_ON) --optimizer.updates 1200 --selection.every 400
	for setting in oracle navigator mixed; do \
	  $(ONE_CORE) eval $(RUN)/ndh --supervision $$setting || exit 1; \
	  for agent in random shortest; do for split in val_seen val_unseen; do \
	    $(BIN)/mtvm baseline $$agent --task ndh --split $$split --supervision $$setting --out runs/ndh-$$agent-$$split-$$setting.json || exit 1; \
	  done; done; done

# REVERIE, from the released agents of R2R, whose walks are their own from the first update on.
REVERIE = $(ONE_CORE) train reverie --seed $* --data.train reverie/train r2r/train@0.5 --data.evaluate reverie/val_seen reverie/val_unseen \
  $(TRAINED_ON) --loss.objects.elsewhere 4 --optimizer.updates 1200 --selection.every 300
POINTED := eval/reverie-val_unseen/metrics.json
reverie: $(RUN)/reverie/$(POINTED)  ## REVERIE from what captions and a detector say of the views and boxes
reverie-names: $(RUN)/reverie-names/$(POINTED)  ## The same with the names that people gave: privileged
runs/seed%/reverie/$(POINTED): | $(READY)
	$(REVERIE) --out runs/seed$*/reverie --init releases/r2r-pixels --data.boxes detections
runs/seed%/reverie-names/$(POINTED): | $(READY)
	$(REVERIE) --out runs/seed$*/reverie-names --init releases/r2r-annotated $(ANNOTATED)

# One agent from Chinese, one from English, one from both, with learnt tokens and as many updates each; XL-R2R has the Chinese files.
LEARNT := --data.sight guesses --data.guesser releases/r2r-pixels --model.reader none --optimizer.updates 1750 --selection.every 1750 --loss.teacher-forced-updates 500
ZH := r2r/runs/chinese/R2R
chinese := --model.text-reader characters --data.train $(ZH)_train_zh.json --data.evaluate $(ZH)_val_unseen_zh.json
english := --data.train r2r/train --data.evaluate r2r/val_unseen
both := --model.text-reader characters --data.train r2r/train $(ZH)_train_zh.json --data.evaluate r2r/val_unseen $(ZH)_val_unseen_zh.json
IN_CHINESE := eval/r2r-chinese-R2R_val_unseen_zh/metrics.json
languages: $(RUN)/language-english/$(DONE) $(RUN)/language-chinese/$(IN_CHINESE) $(RUN)/language-both/$(IN_CHINESE)  ## R2R in English, in Chinese (XL-R2R), and in both, as long each
$(RUN)/language-english/$(DONE): | $(READY)
	$(R2R) --out $(RUN)/language-english $(LEARNT) $(english)
$(RUN)/language-%/$(IN_CHINESE): runs/chinese/R2R_train_zh.json | $(READY)
	$(R2R) --out $(RUN)/language-$* $(LEARNT) $($*)
runs/chinese/R2R_train_zh.json: | $(READY)
	$(BIN)/python tools/languages.py $$MTVM_DATA/XL-R2R runs/chinese

# Dialogs are those of the built-in homes, of which only names are known.
TASKS := together r2r r4r reverie ndh
TOGETHER := --data.sight names --optimizer.updates 1750 --selection.every 1750 --loss.teacher-forced-updates 500 --model.max-text 300
r2r_splits := r2r/train
r4r_splits := r4r/runs/r4r/R4R_train.json
reverie_splits := reverie/train
ndh_splits := runs/homes::ndh/train
together_splits := $(r2r_splits) $(r4r_splits) $(reverie_splits) $(ndh_splits)
LAST_TASK := eval/ndh-val_unseen/metrics.json
together: $(TASKS:%=$(RUN)/alone-%/$(LAST_TASK))  ## One agent of R2R, R4R, REVERIE and dialogs, and one of each alone, as long each
$(TASKS:%=$(RUN)/alone-%/$(LAST_TASK)): $(RUN)/alone-%/$(LAST_TASK): runs/r4r/R4R_train.json runs/r4r/R4R_val_unseen.json runs/homes/connectivity | $(READY)
	$(R2R) --out $(RUN)/alone-$* $(TOGETHER) --data.train $($*_splits) \
	  --data.evaluate r2r/val_unseen r4r/runs/r4r/R4R_val_unseen.json reverie/val_unseen ndh/val_unseen
runs/homes/connectivity: | $(READY)
	$(BIN)/mtvm homes build --features names --out runs/homes

# 500 of the 5,026 paths of val_unseen, with their 4,500 instructions: walking all of them six times would take hours.
runs/r4r/R4R_val_unseen.json: | $(READY)
	$(BIN)/mtvm data r4r val_unseen --paths 500 --out $@
runs/r4r/R4R_%.json: | $(READY)
	$(BIN)/mtvm data r4r $* --out $@

records: $(READY)  ## Keep the metrics of every episode that the rows above were evaluated on, without texts, in docs/runs
	$(BIN)/python tools/records.py

# The speaker, a follower to judge what it says, and the instructions in releases/ that both make.
runs/speaker/eval/r2r-val_seen.json: | $(READY)
	$(ONE_CORE) speaker train --out runs/speaker --optimizer.updates 1000 --validate-every 250

runs/follower/$(SEEN_DONE): | $(READY)
	$(ONE_CORE) train r2r-map --batch 64 --out runs/follower --optimizer.updates 900 --selection.every 300 \
	  --loss.teacher-forced-updates 250 --data.evaluate r2r/val_seen

augmented: runs/speaker/eval/r2r-val_seen.json runs/follower/$(SEEN_DONE)  ## Make the instructions in releases/ again: a speaker, a follower to judge what it says, 80,000 paths described
	$(ONE_CORE) augment --speaker runs/speaker --follower runs/follower --paths 80000 --out releases/r2r-augmented.json.gz

augmented-second: runs/speaker/eval/r2r-val_seen.json  ## The second round: other paths, described by the same speaker, of which a better follower chooses, the released agent
	$(ONE_CORE) augment --speaker runs/speaker --follower releases/r2r-annotated --paths 80000 --seed 1 \
	  --not-in r2r/val_seen prevalent/releases/r2r-augmented.json.gz --out releases/r2r-augmented-second.json.gz

# As many as are kept of the others, good or bad.
runs/unfiltered.json.gz: | runs/speaker/eval/r2r-val_seen.json
	$(ONE_CORE) augment --speaker runs/speaker --paths 40000 --out $@

pretrained: $(READY)  ## Train the agent that ships with the package (ten minutes)
	$(BIN)/python tools/make_pretrained.py

recording: $(READY)  ## Record the README's picture: the viewer following an instruction of R2R ($$MTVM_DATA names the data; needs Chromium)
	$(ONE_CORE) eval releases/r2r-pixels --split r2r/val_unseen --attention --out runs/r2r-pixels
	$(BIN)/python tools/recording.py runs/r2r-pixels/r2r-val_unseen --episode 1431_0

release: $(READY)  ## Write what is uploaded elsewhere to build/release, with checksums: wheel, source, agents, instructions
	rm -rf build/release
	$(BIN)/pip install --quiet --constraint constraints.txt hatchling
	$(BIN)/python -m hatchling build --directory build/release
	$(BIN)/python tools/release.py build/release

vendor:  ## Bundle the viewer's panorama library at its pinned version (needs npm)
	cd tools/viewer && npm ci --ignore-scripts --no-audit --no-fund && npm run --silent build

clean:  ## Remove the environment and what it built
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

# Debian's Python comes without ensurepip; where we are root we can mend that.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -q && apt-get install -qy python3-venv; \
	  else echo "Python's venv module is missing: install python3-venv" >&2; exit 1; fi; }
	@echo "Setting up $(VENV) (once; one to three minutes)"
	@$(PYTHON) -m venv $(VENV)
	@PIP_CONSTRAINT=constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/pip install --quiet -e '.[dev]'
	@touch $(READY)
