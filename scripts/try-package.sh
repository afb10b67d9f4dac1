#!/bin/sh
# Proves that the package works where there is no checkout: packs it, installs it into an empty folder with the
# machine's own Node, and runs it on two samples.
set -eu
cd -- "$(dirname -- "$0")/.."
root=$PWD
sh scripts/setup.sh
. scripts/clean-room.sh

npm pack --silent --pack-destination "$room" >/dev/null
mkdir "$room/folder" "$room/papers"
cp samples/annual-report.pdf samples/letter-to-boaters.rtf "$room/papers"
cd "$room/folder"

echo "Node of the machine: $(clean node -v); package: $(du -k "$room"/sluice-*.tgz | cut -f1) kB"
step 'npm i ./sluice.tgz' sh -c 'npm install --no-audit --no-fund --loglevel=error "$0"/sluice-*.tgz' "$room"
step 'npx sluice --version' npx --no-install sluice --version
step 'npx sluice run' npx --no-install sluice run ../papers --out ../out
for file in annual-report.pdf/document.md letter-to-boaters.rtf/document.md; do
  [ -s "$room/out/documents/$file" ] || {
    echo "FAILED: no $file"
    exit 1
  }
done
step 'npx sluice run, unchanged' npx --no-install sluice run ../papers --out ../out
[ -z "$(find "$room/folder/node_modules/sluice" -name '*.ts' | head -n 1)" ]
echo "The package works ($root)."
