#!/bin/sh
# usage: run-node.sh MAIN [argument …]   Runs a script on Node as a worker is run: in benches, and by the launcher, which
# reads this file instead of starting a shell for it and says in `sluice_scripts` where it lies.
set -eu
sluice_scripts=${sluice_scripts:-$(dirname -- "$0")}
node=$(. "$sluice_scripts/find-node.sh")

# What was measured to give the most documents for the least memory (npm run bench -- pipeline):
# - Six file threads beside the main one: fewer let the flushes of a slow disk wait for each other, more cost switches.
# - One arena of malloc: with more, each thread keeps what it freed in an arena of its own.
# - Semi-spaces of 8 MB: with 2 MB the young objects of fifty documents are copied four times as often; V8 would let
#   them grow to 16 MB, three times over. They begin so large: growing to it cost a start an eighth of its processor
#   time. A large answer is not limited by it: it lives outside of them.
# - A heap that is collected when it has doubled: V8 lets a small one grow fourfold, which holds 60 MB of garbage to
#   save a few collections of 20 ms.
# - What Node compiled is kept, in a checkout with the 20 MB that its type stripper takes.
export UV_THREADPOOL_SIZE="${UV_THREADPOOL_SIZE:-6}"
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-1}"
if [ -d "$sluice_scripts/../node_modules" ]; then
  export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$sluice_scripts/../node_modules/.cache/node}"
elif [ -n "${XDG_CACHE_HOME:-${HOME:-}}" ]; then
  export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/sluice/node}"
fi
exec "$node" --disable-warning=ExperimentalWarning --min-semi-space-size=8 --max-semi-space-size=8 --heap-growing-percent=100 "$@"
