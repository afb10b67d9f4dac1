#!/bin/sh
# Tests the package without a checkout: packs it, installs it into an empty folder with the machine's Node, and
# converts all samples, one of each format.
set -eu
cd -- "$(dirname -- "$0")/.."
sh scripts/setup.sh --dev
checkout=$PWD
. scripts/sandbox.sh

npm pack --silent --dry-run >/dev/null
npm pack --silent --pack-destination "$sandbox" >/dev/null
sh scripts/run-node.sh scripts/release/runtimes.ts "$sandbox"
runtime=$sandbox/sluice-onnxruntime-$(node -p 'process.platform + "-" + process.arch')-*.tgz
mkdir "$sandbox/folder"
cp -r samples "$sandbox/papers"
printf 'From: a@example.org\nSubject: A mail\nContent-Type: text/html\n\n<p>Read by the package.</p>\n' >"$sandbox/papers/mail.eml"
cd "$sandbox/folder"

echo "Node of the machine: $(clean node -v); package: $(du -k "$sandbox"/sluice-*.tgz | cut -f1) kB"
# The registry has no runtimes of this version yet: npm skips missing optional packages, and takes this one.
step 'npm i ./sluice.tgz' sh -c 'npm install --no-audit --no-fund --loglevel=error "$@"' sh "$sandbox"/sluice-[0-9]*.tgz $runtime
echo "downloaded: $(du -sm "$sandbox/home/.npm/_cacache" | cut -f1) MB; installed: $(du -sm node_modules | cut -f1) MB"
step 'npx sluice --version' npx --no-install sluice --version
step 'npx sluice doctor' sh -c 'npx --no-install sluice doctor | tee doctor.txt'
grep -q 'PP-OCRv4 reads scans' doctor.txt || {
  echo 'FAILED: ONNX Runtime is not used'
  exit 1
}
step 'npx sluice run' npx --no-install sluice run ../papers --out ../out
for sample in "$sandbox"/papers/*; do
  name=$(basename "$sample")
  # The folder of an image or a mail ends in %doc.
  [ -s "$sandbox/out/documents/$name/document.md" ] || [ -s "$sandbox/out/documents/$name%doc/document.md" ] || {
    echo "FAILED: no documents/$name/document.md"
    exit 1
  }
done
echo "$(ls "$sandbox/papers" | wc -l) samples of $(ls "$sandbox/papers" | sed 's/.*\.//' | sort -u | wc -l) formats converted"
step 'npx sluice run, unchanged' npx --no-install sluice run ../papers --out ../out
echo "Node: $(du -sm "$sandbox/home/.cache/sluice" 2>/dev/null | cut -f1) MB"
[ -z "$(find "$sandbox/folder/node_modules/sluice" -name '*.ts' ! -name '*.d.ts' | head -n 1)" ]
# Runs the examples of docs/reference/library.md as a program that depends on the package.
node -e 'const fs = require("fs"), [page] = process.argv.slice(1);
[...fs.readFileSync(page, "utf8").matchAll(/^```ts\n(.*?)^```$/gms)].forEach(([, code], i) => fs.writeFileSync(`${i}.mts`, code))' \
  "$checkout/docs/reference/library.md"
mkdir papers
cp "$checkout/samples/annual-report.pdf" papers
for example in ?.mts; do
  step "import from sluice, example $example" sh node_modules/sluice/scripts/run-node.sh "$example"
done
node "$checkout/node_modules/typescript/bin/tsc" --noEmit --strict --module nodenext --target es2024 --lib ES2025,ESNext.Disposable \
  --typeRoots "$checkout/node_modules/@types" --types node ?.mts

# Without the engine: a service parses.
mkdir "$sandbox/small"
cd "$sandbox/small"
step 'npm i ./sluice.tgz --omit=optional' npm install --omit=optional --no-audit --no-fund --loglevel=error "$sandbox"/sluice-[0-9]*.tgz
echo "installed: $(du -sm node_modules | cut -f1) MB"
if clean npx --no-install sluice run ../papers --out ../nothing 2>missing.txt; then
  echo 'FAILED: a run without engine and service ended well'
  exit 1
fi
cat missing.txt
grep -q 'PARSE_API_URL' missing.txt
(cd "$sandbox/folder" && clean npx --no-install sluice engine --port 0 >"$sandbox/engine.txt" 2>&1) &
engine=$!
until url=$(grep -o 'http://127.0.0.1:[0-9]*' "$sandbox/engine.txt"); do sleep 1; done
step 'npx sluice run with a service' env PARSE_API_URL="$url" PARSE_API_KEY=any npx --no-install sluice run ../papers --out ../served
kill "$engine"
grep -q 'Read by the package' "$sandbox/served/documents/mail.eml%doc/document.md" || {
  echo 'FAILED: the package reads no mail without its engine'
  exit 1
}
echo "The package works."
