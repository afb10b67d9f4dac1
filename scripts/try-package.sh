#!/bin/sh
# Proves that the package works where there is no checkout: packs it, installs it into an empty folder with the
# machine's own Node, and converts all samples, one of each format.
set -eu
cd -- "$(dirname -- "$0")/.."
sh scripts/setup.sh --dev
checkout=$PWD
. scripts/clean-room.sh

npm pack --silent --pack-destination "$room" >/dev/null
mkdir "$room/folder"
cp -r samples "$room/papers"
cd "$room/folder"

echo "Node of the machine: $(clean node -v); package: $(du -k "$room"/sluice-*.tgz | cut -f1) kB"
step 'npm i ./sluice.tgz' sh -c 'npm install --no-audit --no-fund --loglevel=error "$0"/sluice-*.tgz' "$room"
step 'npx sluice --version' npx --no-install sluice --version
step 'npx sluice run' npx --no-install sluice run ../papers --out ../out
for sample in "$room"/papers/*; do
  name=$(basename "$sample")
  [ -s "$room/out/documents/$name/document.md" ] || {
    echo "FAILED: no documents/$name/document.md"
    exit 1
  }
done
echo "$(ls "$room/papers" | wc -l) samples of $(ls "$room/papers" | sed 's/.*\.//' | sort -u | wc -l) formats converted"
step 'npx sluice run, unchanged' npx --no-install sluice run ../papers --out ../out
[ -z "$(find "$room/folder/node_modules/sluice" -name '*.ts' ! -name '*.d.ts' | head -n 1)" ]
# The examples of docs/library.md, as a program that depends on the package has them.
node -e 'const fs = require("fs"), [page] = process.argv.slice(1);
[...fs.readFileSync(page, "utf8").matchAll(/^```ts\n(.*?)^```$/gms)].forEach(([, code], i) => fs.writeFileSync(`${i}.mts`, code))' \
  "$checkout/docs/library.md"
mkdir papers
cp "$checkout/samples/annual-report.pdf" papers
for example in ?.mts; do
  step "import from sluice, example $example" sh node_modules/sluice/scripts/run-node.sh "$example"
done
node "$checkout/node_modules/typescript/bin/tsc" --noEmit --strict --module nodenext --target es2024 --lib ES2025,ESNext.Disposable \
  --typeRoots "$checkout/node_modules/@types" --types node ?.mts
echo "The package works."
