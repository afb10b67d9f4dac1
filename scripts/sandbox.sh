# Sourced by the try-… scripts: imitates a machine without any file of Sluice, as far as a folder can. $sandbox is a
# temporary folder, removed at the end. `clean COMMAND…` runs a command with an empty home, no npm cache or npm settings,
# and every program of the machine except Redis.
sandbox=$(mktemp -d)
trap 'chmod -R u+w "$sandbox" 2>/dev/null; rm -rf "$sandbox"' EXIT
trap 'exit 130' INT TERM HUP
# Open to all: a test may become another user.
chmod 755 "$sandbox"
mkdir "$sandbox/home" "$sandbox/bin" "$sandbox/tmp"

(
  IFS=:
  for folder in $PATH; do
    case $folder in *node_modules*) continue ;; esac
    [ ! -d "$folder" ] || ln -s "$folder"/* "$sandbox/bin/" 2>/dev/null || true
  done
)
rm -f "$sandbox"/bin/redis-* "$sandbox"/bin/valkey-*

clean() (
  for name in $(env | sed -n 's/^\(npm_[A-Za-z0-9_]*\)=.*/\1/p'); do unset "$name"; done
  unset NODE_OPTIONS REDIS_URL PARSE_API_URL PARSE_API_KEY XDG_CACHE_HOME XDG_STATE_HOME XDG_CONFIG_HOME XDG_DATA_HOME
  export HOME="$sandbox/home" TMPDIR="$sandbox/tmp" PATH="$sandbox/bin"
  exec "$@"
)

# Runs a step, prints its output and its time; a failed step ends the script.
step() {
  title=$1
  shift
  echo "── $title"
  began=$(date +%s)
  clean "$@" || {
    echo "FAILED: $title"
    exit 1
  }
  echo "── $(($(date +%s) - began)) s: $title"
}
