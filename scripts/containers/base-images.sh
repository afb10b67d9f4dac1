#!/bin/sh
# usage: base-images.sh ENGINE   Provides the base images for `docker build` and compose: those of the registry. The
# fallback, if the registry is unreachable, builds images of the same names from Debian's packages and the Node that
# Sluice installs. ENGINE is docker or podman. The fallback needs mmdebstrap or debootstrap. Writes to stderr only.
set -eu
cd -- "$(dirname -- "$0")/../.."
engine=$1
node_image=node:24-bookworm-slim
redis_image=redis:7-bookworm

say() { echo "containers: $*" >&2; }

is_there() { "$engine" image inspect "$1" >/dev/null 2>&1; }

# `timeout`: a firewall that drops packets would hold a pull for minutes.
pull() { timeout 60 "$engine" pull --quiet "$1" >/dev/null 2>&1; }

sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT

# Copies files into an image in addition to Debian's packages. $1 is the root of the image.
cat >"$sandbox/customize" <<'END'
set -eu
tar -C "$FILES" -cf - . | tar -C "$1" --no-same-owner -xf -
if [ -d "$1/home/node" ]; then
  echo 'node:x:1000:1000::/home/node:/bin/sh' >>"$1/etc/passwd"
  echo 'node:x:1000:' >>"$1/etc/group"
  chown 1000:1000 "$1/home/node"
fi
END
export FILES="$sandbox/files"

# Builds a minimal Debian 12 with the named packages and files, as a tar file.
debian() {
  tar=$1
  packages=$2
  if command -v mmdebstrap >/dev/null; then
    mmdebstrap --quiet --variant=minbase --include="$packages" --customize-hook="sh $sandbox/customize \"\$1\"" bookworm "$tar" >&2
  elif command -v debootstrap >/dev/null; then
    debootstrap --variant=minbase --include="$packages" bookworm "$sandbox/root" >&2
    sh "$sandbox/customize" "$sandbox/root"
    tar -C "$sandbox/root" -cf "$tar" .
    rm -rf "$sandbox/root"
  else
    say "the registry cannot be reached; to build the base images, install mmdebstrap or debootstrap"
    exit 1
  fi
}

build_node_image() {
  say "building $node_image from Debian's packages"
  case $(uname -m) in aarch64 | arm64) arch=arm64 ;; *) arch=x64 ;; esac
  mkdir -p "$FILES/usr/local/bin" "$FILES/usr/local/lib/node_modules" "$FILES/home/node" "$FILES/etc/ssl/certs"
  cp "node_modules/node-linux-$arch/bin/node" "$FILES/usr/local/bin/node"
  cp -RL "$(npm root --global 2>/dev/null)/npm" "$FILES/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$FILES/usr/local/bin/npm"
  # The image trusts the same certificate authorities as the machine, for example that of a proxy that inspects TLS.
  [ ! -f /etc/ssl/certs/ca-certificates.crt ] || cp /etc/ssl/certs/ca-certificates.crt "$FILES/etc/ssl/certs/"
  debian "$sandbox/node.tar" ca-certificates
  "$engine" import --change 'CMD ["node"]' --change 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt' \
    "$sandbox/node.tar" "$node_image" >/dev/null
  rm -rf "$FILES" "$sandbox/node.tar"
}

build_redis_image() {
  say "building $redis_image from Debian's packages"
  mkdir -p "$FILES/data"
  debian "$sandbox/redis.tar" redis-server
  "$engine" import --change 'CMD ["redis-server"]' --change 'WORKDIR /data' "$sandbox/redis.tar" "$redis_image" >/dev/null
}

is_there "$node_image" || pull "$node_image" || build_node_image
is_there "$redis_image" || pull "$redis_image" || build_redis_image
