#!/bin/sh
# Prints the path of a Node that runs Sluice (24.11 or newer): the one on PATH, else the one that came with our
# packages. Those lie in a node_modules folder of ours or, when Sluice itself was installed as a package, above us.
# Also read by run-node.sh, in a subshell.
set -eu

runs_sluice() {
  version=$("$1" -v 2>/dev/null) || return 1
  version=${version#v}
  major=${version%%.*}
  minor=${version#*.}
  minor=${minor%%.*}
  [ "$major" -gt 24 ] || { [ "$major" -eq 24 ] && [ "$minor" -ge 11 ]; }
}

node=$(command -v node || true)
if [ -n "$node" ] && runs_sluice "$node"; then
  echo "$node"
  exit 0
fi

folder=$(CDPATH='' cd -- "${sluice_scripts:-$(dirname -- "$0")}/.." && pwd -P)
while :; do
  for node in "$folder"/node_modules/node-*/bin/node; do
    if [ -x "$node" ] && runs_sluice "$node"; then
      echo "$node"
      exit 0
    fi
  done
  [ "$folder" != / ] || break
  folder=$(dirname -- "$folder")
done

echo "Sluice needs Node 24.11 or newer; here is $(node -v 2>/dev/null || echo none). Install it from https://nodejs.org and try again." >&2
exit 1
