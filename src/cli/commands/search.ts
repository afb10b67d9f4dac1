import { Command } from 'commander'
import { indexFileOf } from '#workers/open/index-file.ts'
import { openStore } from '#workers/open/open-store.ts'
import { coverageText } from '#src/corpus/search/coverage.ts'
import type { SearchAnswer, SearchHit, SearchOptions } from '#src/corpus/search/search-store.ts'
import { StoreSearch } from '#src/corpus/search/store-search.ts'
import { viewLink } from '#src/corpus/search/view-link.ts'
import { EXIT } from '../print/exit-codes.ts'
import { UsageError } from '../print/errors.ts'
import { plural, printable } from '../print/format.ts'
import { outputOf, type Output } from '../print/output.ts'
import { collect, keyMatcher, wholeNumber } from '../session/flags.ts'
import { STORE_SETTINGS } from '../session/run-settings.ts'
import { addTargetFlags, forEachTarget, lastStoresOf, storesOf, type Target } from '../session/targets.ts'

interface Options {
  readonly limit: string
  readonly key: readonly string[]
  readonly where?: string
  readonly group?: string
  readonly update: boolean
  readonly open?: boolean
}

const EXAMPLES = `
Examples:
  $ sluice search 'cost of the work at Gannet Lock' --out corpus
  $ sluice search '"oak gates" -winter title:repairs' --out corpus
  $ sluice search 'leakage' --key 'reports/**' --where "kind = 'table'" --json

Query language: docs/guide/retrieval.md`

export function searchCommand(): Command {
  const command = new Command('search')
    .argument('<question...>', 'words, "phrases", -excluded, title:word')
    .optionsGroup('Search:')
    .option('--limit <number>', 'maximum number of hits, 1 to 1000', '10')
    .option('--key <glob>', 'only documents whose key matches; repeatable', collect, [])
    .option('--where <condition>', 'only chunks that meet the condition: "kind = \'table\' and grade >= 0.8"')
    .option('--group <by>', 'document: only the best hit of each document')
    .option('--no-update', 'answer from the index as it is, without a listing of the store')
    .option('--open', 'open the best hit in the console')
    .addHelpText('after', EXAMPLES)
  addTargetFlags(command, STORE_SETTINGS)
  return command.action(async (words: readonly string[]) => {
    const options = command.opts<Options>()
    const question = words.join(' ')
    const chosen = await searchOptions(options)
    const output = outputOf(command)
    let best: SearchHit | null = null
    await forEachTarget(await lastStoresOf(command), output, async (target) => {
      const { hits } = await answer(target, question, { ...chosen, update: options.update }, output)
      best ??= hits[0] ?? null
    })
    if (options.open !== true || best === null) return
    const { serve } = await import('./view.ts')
    await serve(await storesOf(command), { host: '127.0.0.1', port: '0' }, output, viewLink('', best))
  })
}

async function searchOptions({ limit, key: globs, where, group }: Options): Promise<SearchOptions> {
  if (group !== undefined && group !== 'document') throw new UsageError(`--group takes document, not "${group}"`)
  return {
    limit: wholeNumber('--limit', limit, 1, 1000),
    key: keyMatcher(globs),
    where: where === undefined ? null : (await import('#src/corpus/search/search-where.ts')).parseSearchWhere(where),
    byDocument: group === 'document',
  }
}

async function answer(
  { settings }: Target,
  question: string,
  { update: isUpdated, ...options }: SearchOptions & { readonly update: boolean },
  output: Output,
): Promise<SearchAnswer> {
  await using resources = new AsyncDisposableStack()
  const store = await openStore(settings, resources, { mustExist: true })
  const search = resources.use(new StoreSearch(store, await indexFileOf(settings, store.url)))
  let shownAt = performance.now()
  const progress = (documents: number): void => {
    if (performance.now() - shownAt < 250) return
    shownAt = performance.now()
    output.live(`indexing: ${plural(documents, 'document')}`)
  }
  const listener = { progress, signal: new AbortController().signal }
  if (isUpdated || !search.isComplete) await search.update(listener)
  const found = await search.answer(question, options, listener)
  output.live(null)
  if (!found.hasWords)
    throw new UsageError('the question has no word to search for: give a word, or a phrase in quotes')
  for (const hit of found.hits) output.result(hitText(hit), () => ({ event: 'hit', ...hit, link: viewLink('', hit) }))
  const { hits, more, coverage, ignoredWords } = found
  const ignored = ignoredWords === 0 ? '' : `; ${plural(ignoredWords, 'further word')} of the question not searched`
  output.result(coverageText(coverage, hits.length, more) + ignored, () => ({
    event: 'searched',
    hits: hits.length,
    more,
    ignoredWords,
    ...coverage,
  }))
  process.exitCode ??= EXIT.allDone
  return found
}

const BOLD = ['\u001b[1m', '\u001b[22m'] as const

function hitText(hit: SearchHit): string {
  const { rank, document, documentTitle, address, headings, markdownSpan } = hit
  const position = positionOf(hit)
  return [
    `${rank}. ${printable(document)}${position === '' ? '' : `, ${printable(position)}`}`,
    ...[documentTitle, address]
      .filter((text) => text !== null && text !== headings[0])
      .map((text) => `   ${printable(text ?? '')}`),
    ...(headings.length === 0 ? [] : [`   ${printable(headings.join(' › '))}`]),
    `   ${marked(hit)}`,
    `   characters ${markdownSpan.join('-')}; ${viewLink('', hit)}`,
    '',
  ].join('\n')
}

/** `page 3`, `sheet Q3 A7:C9`, `slide 4`, `chapter 2`, `section 3`. */
function positionOf({ pages, anchors }: SearchHit): string {
  const [first, last] = [pages[0], pages.at(-1)]
  if (first !== undefined) return first === last ? `page ${first}` : `pages ${first}-${last}`
  const [anchor] = anchors
  if (anchor === undefined) return ''
  const [kind, value] = Object.entries(anchor)[0] ?? ['', '']
  return `${kind} ${value}${'range' in anchor ? ` ${anchor.range}` : ''}`
}

function marked({ snippet: { text, marks } }: SearchHit): string {
  const [on, off] = process.stdout.isTTY ? BOLD : ['', '']
  let shown = ''
  let at = 0
  for (const [start, end] of marks) {
    shown += `${printable(text.slice(at, start))}${on}${printable(text.slice(start, end))}${off}`
    at = end
  }
  return shown + printable(text.slice(at))
}
