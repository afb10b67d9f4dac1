#!/bin/sh
# usage: setup.sh [--dev]   Installs the missing dependencies of a checkout: npm packages, including the native ones of this
# machine, and a Node that runs Sluice. With --dev it adds the development tools: `npm start` runs without them, `npm test`
# needs them; once installed they stay. Idempotent, and returns at once if nothing is missing. Safe to run concurrently.
# Writes to stderr only.
set -eu
cd -- "$(dirname -- "$0")/.."

stamp=node_modules/.sluice-set-up
lock=node_modules/.sluice-set-up.lock

say() { echo "sluice: $*" >&2; }

choose_tools() {
  tools=omit
  if [ "${1:-}" = --dev ] || [ -e node_modules/vitest ]; then tools=include; fi
}

# Fingerprint of the installed packages: tools, kind of machine, and checksum of the lockfile. The launcher reads it too.
wanted() { echo "$tools $(uname -sm) $(cksum <package-lock.json)"; }

is_set_up() { [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(wanted)" ]; }

choose_tools "$@"

# kill checks only processes of this user, and some systems have no /proc.
is_running() { kill -0 "$1" 2>/dev/null || [ -d "/proc/$1" ]; }

# Allows a single set-up at a time. The lock is a link to the owner's process id: its creation is atomic.
take_lock() {
  until ln -s "$$" "$lock" 2>/dev/null; do
    owner=$(readlink "$lock" || true)
    if [ -n "$owner" ] && ! is_running "$owner"; then
      rm -f "$lock"
    else
      [ -n "${waiting:-}" ] || say "waiting for process $owner, which is setting up already"
      waiting=yes
      sleep 1
    fi
  done
  trap 'rm -f "$lock"' EXIT
  trap 'exit 130' INT TERM HUP
}

# The script prints npm's output only after a failure: its warnings concern third-party packages. --no-save leaves
# package-lock.json unchanged, with any registry or npm version. --no-dry-run overrides `npm pack --dry-run`, which sets the
# option for its child processes: those need the packages.
install() {
  log=$(mktemp)
  tell_time &
  ticker=$!
  if run_npm "$@"; then
    status=0
    rm -f "$log"
  else
    status=1
    cat "$log" >&2
    rm -f "$log"
  fi
  kill "$ticker" 2>/dev/null || true
  return $status
}

run_npm() {
  npm install --no-save --no-dry-run --no-audit --no-fund --no-progress --no-engine-strict \
    --$tools=dev --include=optional --loglevel=error "$@" >"$log" 2>&1 </dev/null
}

# Reports progress: a slow network or machine looks like a hang. The sleep holds none of our streams: a pipe would wait for it.
tell_time() {
  seconds=0
  while sleep 30 >/dev/null 2>&1 </dev/null && kill -0 $$ 2>/dev/null; do
    seconds=$((seconds + 30))
    say "still installing, $seconds s so far"
  done
}

if is_set_up; then
  # The lockfile is newer but unchanged: a newer stamp lets the launcher skip the read.
  [ "$stamp" -nt package-lock.json ] || touch "$stamp" 2>/dev/null || true
  exit 0
fi

command -v npm >/dev/null || {
  say 'npm is not installed. Install Node.js 20 or newer with its npm (https://nodejs.org) and try again.'
  exit 1
}
mkdir -p node_modules
take_lock
# A concurrent set-up may have installed the tools during the wait for the lock.
choose_tools "$@"
if is_set_up; then exit 0; fi

# Cache of npm for a user without a writable home.
[ -w "${HOME:-/nonexistent}" ] || export npm_config_cache="$PWD/node_modules/.npm-cache"

what='packages'
[ "$tools" = omit ] || what='packages and development tools'
say "setting up: installing $what (once, one to two minutes)"
install || {
  say 'npm could not install the packages: see its message above, then run the same command again.'
  exit 1
}

# npm may silently skip an optional package, and the native parts are optional packages.
missing=$(node scripts/missing-packages.mjs "$tools")
if [ -n "$missing" ]; then
  # shellcheck disable=SC2086 # a list of package@version
  install $missing || true
  missing=$(node scripts/missing-packages.mjs "$tools" | tr '\n' ' ')
fi
# The package of ONNX Runtime contains the builds for all platforms (243 of 288 MB), and that for macOS twice.
find node_modules/onnxruntime-node/bin -type f \
  \( ! -path "*/$(node -p 'process.platform + "/" + process.arch')/*" -o -name 'libonnxruntime.1.*.dylib' \) -delete || true
sh scripts/find-node.sh >/dev/null
if [ -n "$missing" ]; then
  say "npm install did not bring these packages for this machine, so features that need them will fail: $missing"
  exit 0
fi
wanted >"$stamp"
say 'set up'
