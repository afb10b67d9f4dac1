#!/bin/sh
# usage: run-node.sh MAIN [argument …]   Runs a script on Node with the options of a worker. Benches use it, and the
# launcher, which sources this file instead of starting a shell and sets `sluice_scripts` to its folder.
set -eu
sluice_scripts=${sluice_scripts:-$(dirname -- "$0")}
node=$(. "$sluice_scripts/find-node.sh")

# Measured optimum of throughput and memory (npm run bench -- pipeline):
# - Six file threads in addition to the main thread: with fewer the flushes of a slow disk wait for each other, more cost
#   context switches.
# - A single arena of malloc: with more, each thread keeps its freed memory in a separate arena.
# - Semi-spaces of 8 MB: with 2 MB the young objects of fifty documents are copied four times as often; V8 would let
#   them grow to 16 MB, three times over. They have this size from the start: growth costs an eighth of a start's
#   processor time. Large answers are allocated outside of them.
# - A garbage collection when the heap has doubled: V8 lets a small heap grow fourfold, which holds 60 MB of garbage to
#   save a few collections of 20 ms.
# - A compile cache of Node; in a checkout it includes the 20 MB of its type stripper.
export UV_THREADPOOL_SIZE="${UV_THREADPOOL_SIZE:-6}"
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-1}"
if [ -d "$sluice_scripts/../node_modules" ]; then
  export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$sluice_scripts/../node_modules/.cache/node}"
elif [ -n "${XDG_CACHE_HOME:-${HOME:-}}" ]; then
  export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/sluice/node}"
fi
exec "$node" --disable-warning=ExperimentalWarning --min-semi-space-size=8 --max-semi-space-size=8 --heap-growing-percent=100 "$@"
