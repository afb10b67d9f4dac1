#!/bin/sh
# usage: run-node.sh MAIN [argument …]   Runs a script on Node as a worker is run: by the launcher, and in benches.
set -eu
node=$(sh "$(dirname -- "$0")/find-node.sh")

# What was measured to give the most documents for the least memory (npm run bench:pipeline):
# - Four file threads beside the main one: fewer let flushes wait for each other, more cost switches and stacks.
# - One arena of malloc: each thread would keep the garbage of answers in an arena of its own, 30 to 60 MB in all.
# - Semi-spaces of 2 MB: V8 would let them grow to 16 MB for short-lived objects, three times over.
# All three only move garbage around sooner: a large answer lives in the old space and is not limited by them.
export UV_THREADPOOL_SIZE="${UV_THREADPOOL_SIZE:-4}"
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-1}"
exec "$node" --disable-warning=ExperimentalWarning --max-semi-space-size=2 "$@"
