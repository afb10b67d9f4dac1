import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterAll, expect, test } from 'vitest'
import type { SourceKey, Version } from '#src/document/ids.ts'
import { contentVersion } from '#src/document/ids.ts'
import { skipVersion } from '#src/document/skip.ts'
import { openSiteSource, type SiteSourceOptions } from '#src/sources/sites/site-source.ts'
import { urlOfKey } from '#src/sources/urls/url-key.ts'
import { GeneratedSite } from '../../support/generated-site.ts'
import { daysOlder, SITE_OPTIONS } from '../../support/list-site.ts'
import { seedFrom } from '../../support/seed.ts'

/*
 * Sites drawn from a seed, listed and read three times each: broken, slow, redirected, duplicated and changing
 * pages, logins, traps, charsets and times of change.
 * `SITE_COUNT=200` draws as many sites as the measured claim.
 */

const SEED = seedFrom('SITE_SEED', 'fresh')
const SITES = Number(process.env.SITE_COUNT ?? 4)
const DELAY_MS = 10

interface Entry {
  readonly version: Version
  readonly kind: 'done' | 'failed' | 'skipped'
}
type Ledger = Map<SourceKey, Entry>

interface Pass {
  readonly bodies: readonly string[]
  /** Texts of new and changed documents, by address. */
  readonly text: ReadonlyMap<string, string>
}

/** Lists a site, reads each new or changed document, and updates the ledger as a scan does. */
async function pass(site: GeneratedSite, ledger: Ledger): Promise<Pass> {
  site.bodies.length = 0
  site.arrivals.length = 0
  const sent: number[] = []
  const record = (message: unknown): void => {
    const { request } = message as { readonly request: { readonly origin: string | URL } }
    if (new URL(request.origin).href === new URL(site.url).href) sent.push(performance.now())
  }
  subscribe('undici:request:create', record)
  using _subscription = { [Symbol.dispose]: () => void unsubscribe('undici:request:create', record) }
  await using source = openSiteSource(optionsFor(site))
  const signal = AbortSignal.timeout(120_000)
  const before = [...ledger]
  const known = async function* () {
    for (const [key, { version }] of before) yield [key, version] as const
  }
  const text = new Map<string, string>()
  const listed = new Set<SourceKey>()
  for await (const item of source.list(signal, known)) {
    listed.add(item.key)
    if (item.kind === 'unusable') ledger.set(item.key, { kind: 'failed', version: 'unusable:unreadable' as Version })
    if (item.kind === 'skipped') ledger.set(item.key, { kind: 'skipped', version: skipVersion(item.reason) })
    if (item.kind !== 'document') continue
    const isNew = contentVersion(ledger.get(item.key)?.version ?? ('' as Version)) !== contentVersion(item.version)
    ledger.set(item.key, { kind: 'done', version: item.version })
    if (!isNew) continue
    const page = await source.open(item.key, signal)
    if ('code' in page) throw new Error(`${item.key}: ${page.message}`)
    const chunks: Buffer[] = []
    for await (const chunk of page.read(signal)) chunks.push(Buffer.from(chunk))
    text.set(urlOfKey(item.key).href, Buffer.concat(chunks).toString())
    await page[Symbol.asyncDispose]()
  }
  checkPace(site, sent)
  for (const key of ledger.keys()) if (!listed.has(key)) ledger.delete(key)
  return { bodies: [...site.bodies], text }
}

const optionsFor = (site: GeneratedSite): SiteSourceOptions => ({
  ...SITE_OPTIONS,
  start: new URL(site.url),
  limit: 10_000,
  depth: 100,
  delayMs: DELAY_MS,
  headers: site.hazards?.headers ?? {},
  exclude: ['**/deep/**'],
})

const addressesOf = (ledger: Ledger, of: Entry['kind']): string[] =>
  [...ledger].flatMap(([key, { kind }]) => (kind === of ? urlOfKey(key).href : [])).toSorted()

/** Each content is one document, the former one if it still has that content; other addresses have a reason. */
function checkDocuments(site: GeneratedSite, ledger: Ledger, before: readonly string[]): void {
  const documents = new Set(addressesOf(ledger, 'done'))
  const wrong = site.groups.flatMap((group) => {
    const chosen = group.filter((address) => documents.has(address))
    const former = group.filter((address) => before.includes(address))
    return chosen.length === 1 && (former.length !== 1 || former[0] === chosen[0]) ? [] : [{ group, chosen, former }]
  })
  expect(wrong).toEqual([])
  const known = new Set(site.groups.flat())
  const others = [...documents].filter((address) => !known.has(address) && !isLoop(site, address))
  expect(others).toEqual([])
  expect([...documents].filter((address) => isLoop(site, address)).length).toBeLessThan(6)
  const explained = new Set([...ledger.keys()].map((key) => urlOfKey(key).href))
  expect(site.reachable.filter((address) => !explained.has(address))).toEqual([])
  const failed = new Set(addressesOf(ledger, 'failed'))
  expect((site.hazards?.locked ?? []).filter((path) => !failed.has(`${site.url}${path}`))).toEqual([])
}

const isLoop = (site: GeneratedSite, address: string): boolean =>
  site.hazards?.isLoop(new URL(address).pathname) === true

/** No error page, no sign-in page, and text in its own charset. */
function checkTexts(site: GeneratedSite, { text }: Pass): void {
  const wrong = [...text].filter(([address, html]) => {
    const word = site.wordOf(new URL(address).pathname)
    return /Error 500|Sign in/.test(html) || (word !== null && !html.includes(word))
  })
  expect(wrong).toEqual([])
}

/**
 * Each gap between two requests that are sent. Site and crawler share the event loop of this test, and a stall of it
 * delays an arrival: there, ten gaps together are exact enough.
 */
function checkPace({ arrivals }: GeneratedSite, sent: readonly number[]): void {
  const gaps = sent.slice(1).map((at, index) => at - (sent[index] ?? 0))
  tally.gaps += gaps.length
  tally.shortestGap = Math.min(tally.shortestGap, ...gaps)
  expect(gaps.filter((gap) => gap < 0.9 * DELAY_MS)).toEqual([])
  expect(sent).toHaveLength(arrivals.length)
  const tens = arrivals.slice(10).map((at, index) => at - (arrivals[index] ?? 0))
  tally.tens += tens.length
  tally.shortestTen = Math.min(tally.shortestTen, ...tens)
  expect(tens.filter((ten) => ten < 8 * DELAY_MS)).toEqual([])
}

const tally = { gaps: 0, shortestGap: Infinity, tens: 0, shortestTen: Infinity, bodies: [0, 0, 0] }
afterAll(() => {
  if (process.env.SITE_COUNT !== undefined) process.stdout.write(`${JSON.stringify(tally)}\n`)
})

/**
 * Bodies that travelled for nothing: pages with a validator or a time of change that did not change. The start page
 * travels, as do new documents and the pages of a site without an end.
 */
function checkBodies(site: GeneratedSite, { bodies, text }: Pass, changed: readonly string[]): void {
  if (site.hazards?.isEndless === true) return
  const read = [...text.keys()].map((address) => new URL(address).pathname)
  const needed = new Set(['/', ...changed, ...read, ...site.unvalidated])
  expect(bodies.filter((path) => !needed.has(path))).toEqual([])
}

test.each(Array.from({ length: SITES }, (_, index) => SEED + index))(
  'site %i is read as a good crawler reads it',
  async (seed) => {
    await using site = await GeneratedSite.open({ seed, pages: 20 + (seed % 50), isHard: true, hasHazards: true })
    const ledger: Ledger = new Map()
    const first = await pass(site, ledger)
    checkDocuments(site, ledger, [])
    checkTexts(site, first)
    const ofFirst = addressesOf(ledger, 'done')

    const mended = site.mend()
    const second = await pass(site, ledger)
    checkDocuments(site, ledger, ofFirst)
    checkBodies(site, second, mended)
    expect([...second.text.keys()].filter((address) => ofFirst.includes(address))).toEqual([])
    const ofSecond = addressesOf(ledger, 'done')

    const { changed, added } = site.change(0.1)
    const isStale = site.hazards?.lastmod === 'never'
    if (isStale) age(ledger)
    const third = await pass(site, ledger)
    checkDocuments(site, ledger, ofSecond)
    checkTexts(site, third)
    const ofThird = addressesOf(ledger, 'done')
    const expected = new Set([...changed, ...added].map((path) => `${site.url}${path}`))
    const read = ofThird.filter((address) => expected.has(address) || !ofSecond.includes(address))
    expect([...third.text.keys()].toSorted()).toEqual(read)
    if (!isStale) checkBodies(site, third, [...changed, ...added])

    for (const [at, { bodies }] of [first, second, third].entries())
      tally.bodies[at] = (tally.bodies[at] ?? 0) + bodies.length
    expect(site.askedOutside).toEqual([])
    expect(site.asked.filter((path) => path.startsWith('/forbidden') || site.hazards?.isForbidden(path))).toEqual([])
  },
  120_000,
)

/** A sitemap whose times never move is believed for seven days. */
function age(ledger: Ledger): void {
  const versions = new Map([...ledger].map(([key, { version }]) => [key, version]))
  for (const [key, version] of daysOlder(versions, 8)) {
    const entry = ledger.get(key)
    if (entry !== undefined) ledger.set(key, { ...entry, version })
  }
}
