// Presentations with exact truth, as a set for `npm run eval`: `npm run eval:slides -- FOLDER [--seed N] [--count 50]`. Each is drawn, written as
// .pptx by pandoc, every other one written anew by LibreOffice, and as many others as .ppt by LibreOffice. Both have to be installed (Debian: pandoc,
// libreoffice-impress-nogui). FOLDER/set then holds docs/, gt/ and MANIFEST.tsv; put the scorer beside it.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Deck, pandocOf, truthOf } from './deck.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, count: { type: 'string', default: '50' } },
})
const [folder] = positionals
if (folder === undefined) {
  console.error('usage: npm run eval:slides -- FOLDER [--seed N] [--count N]')
  process.exit(1)
}
const set = resolve(process.env['INIT_CWD'] ?? '.', folder, 'set')
const work = mkdtempSync(join(tmpdir(), 'slides-'))
const [docs, gt] = [join(set, 'docs'), join(set, 'gt')]
for (const path of [docs, gt, join(work, 'out')]) mkdirSync(path, { recursive: true })

function writtenByLibreOffice(files: readonly string[], extension: string): void {
  const profile = `-env:UserInstallation=file://${join(work, 'profile')}`
  const convert = ['--headless', '--convert-to', extension, '--outdir', join(work, 'out')]
  execFileSync('soffice', [profile, ...convert, ...files], { stdio: ['ignore', 'ignore', 'inherit'] })
}

const rows = [['path', 'format', 'source', 'licence', 'truth', 'kind', 'aspects'].join('\t')]
const rewritten: string[] = []
const old: string[] = []
const count = Number(values.count)
for (let index = 0; index < 2 * count; index += 1) {
  const isOld = index >= count
  const deck = new Deck(Number(values.seed) * 1_000_003 + index)
  const name = `deck-${values.seed}-${index}`
  const written = join(work, `${name}.pptx`)
  execFileSync('pandoc', ['-f', 'markdown', '-t', 'pptx', '--slide-level=2', '-o', written], { input: pandocOf(deck) })
  const file = `${name}.${isOld ? 'ppt' : 'pptx'}`
  if (isOld) old.push(written)
  else if (index % 2 === 1) rewritten.push(written)
  else copyFileSync(written, join(docs, file))
  writeFileSync(join(gt, `${file}.md`), truthOf(deck))
  rows.push(
    [`docs/${file}`, isOld ? 'ppt' : 'pptx', 'drawn', '-', `gt/${file}.md`, 'drawn', 'text,order,headings,tables'].join(
      '\t',
    ),
  )
}
writtenByLibreOffice(rewritten, 'pptx')
writtenByLibreOffice(old, 'ppt')
for (const [files, extension] of [
  [rewritten, 'pptx'],
  [old, 'ppt'],
] as const) {
  for (const path of files) {
    const file = path.slice(work.length + 1).replace(/pptx$/, extension)
    copyFileSync(join(work, 'out', file), join(docs, file))
  }
}
writeFileSync(join(set, 'MANIFEST.tsv'), `${rows.join('\n')}\n`)
rmSync(work, { recursive: true })
console.log(`${count} .pptx and ${count} .ppt: ${set}`)
