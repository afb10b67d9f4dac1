#!/bin/sh
# Tests the two commands on a machine without any file of Sluice: clones the committed tree, with an empty home and npm
# cache and without Redis, and runs `npm start` twice and `npm test`. `try-fresh.sh test-first`: the reverse order.
set -eu
cd -- "$(dirname -- "$0")/.."
root=$PWD
. scripts/sandbox.sh

git clone --quiet "$root" "$sandbox/clone"
cd "$sandbox/clone"
echo "Node of the machine: $(clean node -v)"
[ "${1:-}" != test-first ] || step 'npm test' npm test </dev/null
step 'npm start' npm start </dev/null
step 'npm start, again' npm start </dev/null
[ "${1:-}" = test-first ] || step 'npm test' npm test </dev/null
[ -z "$(git status --porcelain)" ] || {
  git status --short
  echo 'FAILED: the commands changed or left files that are not ignored'
  exit 1
}
echo 'The two commands work from a fresh clone.'
