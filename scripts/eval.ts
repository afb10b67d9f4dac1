// Scores the complete pipeline of a document against known truths: `npm run eval -- SET [arguments of the scorer]`. SET
// contains docs/ and the files of its scorer; the scorer, score.mjs with its package.json, is next to SET. `--beside`:
// the libraries read the same documents (scripts/eval-libraries.ts), and a table of all is printed last. Otherwise the
// scorer's table is printed last. The Markdown is kept in the folder named before it.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')

/** Runs a command on our terminal; any exit code outside `expected` ends the script. */
function run(command: string, args: readonly string[], cwd: string, expected: readonly number[] = [0]): void {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit' })
  if (status !== null && expected.includes(status)) return
  console.error(`${command} ${args.join(' ')} ended with ${status ?? error?.message ?? 'a signal'}`)
  process.exit(1)
}

const given = process.argv.slice(2)
const beside = given.includes('--beside')
const [named, ...scorerArguments] = given.filter((argument) => argument !== '--beside')
if (named === undefined) {
  console.error('usage: npm run eval -- SET [--beside] [arguments of the scorer, such as --per-doc --only pdf]')
  process.exit(1)
}
// npm runs this script in the project's folder; a relative SET refers to the user's folder.
const set = resolve(process.env['INIT_CWD'] ?? '.', named)
const work = mkdtempSync(join(tmpdir(), 'sluice-eval-'))
const out = join(work, 'out')
const markdown = join(work, 'markdown')
const scorer = join(work, 'scorer')
mkdirSync(markdown)
mkdirSync(scorer)

// 2: some documents failed, which a set may intend.
const began = Date.now()
run(join(ROOT, 'sluice'), ['run', join(set, 'docs'), '--out', out], work, [0, 2])
const seconds = (Date.now() - began) / 1000

const records = globSync('documents/**/record.json', { cwd: out })
for (const record of records) {
  const document = join(out, dirname(record), 'document.md')
  const { key } = JSON.parse(readFileSync(join(out, record), 'utf8')) as { readonly key: string }
  if (existsSync(document)) copyFileSync(document, join(markdown, `${basename(key)}.md`))
}

for (const file of ['score.mjs', 'package.json']) copyFileSync(join(set, '..', file), join(scorer, file))
run('npm', ['install', '--silent', '--no-audit', '--no-fund'], scorer)
console.log(`${records.length} documents in ${seconds.toFixed(1)} s; their Markdown: ${markdown}`)
if (!beside) run(process.execPath, [join(scorer, 'score.mjs'), set, `ours=${markdown}`, ...scorerArguments], work)
else {
  const { LIBRARY_NAMES, readByLibraries } = await import('./eval-libraries.ts')
  const { tableOf } = await import('./eval-table.ts')
  const formats = scorerArguments[scorerArguments.indexOf('--only') + 1]?.split(',').join('|') ?? ''
  const only = new RegExp(scorerArguments.includes('--only') ? `^(?:${formats})$` : '')
  const libraries = await readByLibraries(join(set, 'docs'), work, only, LIBRARY_NAMES)
  const json = join(work, 'scores.json')
  const labels = [`sluice=${markdown}`, ...libraries]
  run(process.execPath, [join(scorer, 'score.mjs'), set, ...labels, ...scorerArguments, '--json', json], work)
  console.log(`\n${tableOf(JSON.parse(readFileSync(json, 'utf8')) as Parameters<typeof tableOf>[0])}`)
}
