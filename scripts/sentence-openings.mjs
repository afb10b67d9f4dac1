// usage: sentence-openings.mjs [--most PERCENT] [ROOT]   Lists the comment sentences of the product below ROOT (default:
// this checkout) that open with a relative clause, `FILE:LINE: SENTENCE` each, then their share. Exits with 1 above
// PERCENT.
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const FILES = '{src,workers,config,packages}/**/*.{ts,mts,tsx,js,mjs,lua,sh}'
const NO_PRODUCT = /(?:^|\/)(?:node_modules|dist|fixtures|test|bench|sim)\/|\.test\.ts$|\.d\.ts$/
const OPENING = /^(?:What|Whether|How|Where|Which|Whatever|Of|As|One|That|Those)\b/
const LUA_COMMENT = /--(?!\[\[)\s?(?<text>.*)$/gm
const COMMENT = /\/\*\*?(?<block>[^]*?)\*\/|(?:^|\s)\/\/\s?(?<text>.*)$/gm
const SENTENCE_END = /(?<=[.!?;:])\s+(?=[A-Z`'"])/g

/** Sentences of a comment that starts at `offset` of its file, each with its line. */
function sentencesOf(comment, offset, source) {
  const firstLine = source.slice(0, offset).split('\n').length
  const pieces = comment
    .split('\n')
    .map((line, at) => ({ line: firstLine + at, text: line.replace(/^\s*\*\s?/, '').trim() }))
  const lineAt = []
  let joined = ''
  for (const { line, text } of pieces) {
    if (text === '') continue
    joined += joined === '' ? text : ` ${text}`
    while (lineAt.length < joined.length) lineAt.push(line)
  }
  const starts = [0, ...[...joined.matchAll(SENTENCE_END)].map(({ index, 0: space }) => index + space.length)]
  return starts
    .map((start, at) => ({ line: lineAt[start] ?? firstLine, text: joined.slice(start, starts[at + 1]).trim() }))
    .filter(({ text }) => /[a-z]/i.test(text))
}

function sentencesIn(root, file) {
  const source = readFileSync(join(root, file), 'utf8')
  return [...source.matchAll(file.endsWith('.lua') ? LUA_COMMENT : COMMENT)].flatMap(({ 0: all, index, groups }) => {
    const comment = groups.block ?? groups.text
    return sentencesOf(comment, index + all.indexOf(comment), source).map((sentence) => ({ file, ...sentence }))
  })
}

const { values, positionals } = parseArgs({ options: { most: { type: 'string' } }, allowPositionals: true })
const root = resolve(positionals[0] ?? join(import.meta.dirname, '..'))
const files = globSync(FILES, { cwd: root, exclude: (name) => name === 'node_modules' }).filter(
  (file) => !NO_PRODUCT.test(file),
)
const sentences = files.toSorted().flatMap((file) => sentencesIn(root, file))
const found = sentences.filter(({ text }) => OPENING.test(text))
for (const { file, line, text } of found) console.log(`${file}:${line}: ${text}`)

const percent = sentences.length === 0 ? 0 : (found.length / sentences.length) * 100
console.log(`${found.length} of ${sentences.length} sentences, ${percent.toFixed(1)} %`)
if (values.most !== undefined && !(percent <= Number(values.most))) {
  console.error(`more than ${values.most} % of the comment sentences open with a relative clause`)
  process.exitCode = 1
}
