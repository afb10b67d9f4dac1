import { afterAll, expect, test } from 'vitest'
import type { SourceKey, Version } from '#src/document/ids.ts'
import { contentVersion } from '#src/document/ids.ts'
import { openSiteSource, type SiteSourceOptions } from '#src/sources/sites/site-source.ts'
import { urlOfKey } from '#src/sources/urls/url-key.ts'
import { GeneratedSite } from '../../support/generated-site.ts'
import { SITE_OPTIONS } from '../../support/list-site.ts'
import { seedFrom } from '../../support/seed.ts'

/*
 * Sites drawn from a seed, listed and read three times each: broken, slow, redirected, duplicated and changing pages.
 * `SITE_COUNT=200` draws as many sites as the measured claim.
 */

const SEED = seedFrom('SITE_SEED', 'fresh')
const SITES = Number(process.env.SITE_COUNT ?? 4)
const DELAY_MS = 10

type Ledger = Map<SourceKey, { readonly version: Version; readonly kind: string }>

interface Pass {
  readonly bodies: readonly string[]
  readonly text: ReadonlyMap<string, string>
}

/** Lists a site, reads each new or changed document, and updates the ledger as a scan does. */
async function pass(site: GeneratedSite, ledger: Ledger): Promise<Pass> {
  site.bodies.length = 0
  site.arrivals.length = 0
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
    if (item.kind !== 'document') continue
    const isNew = contentVersion(ledger.get(item.key)?.version ?? ('' as Version)) !== contentVersion(item.version)
    ledger.set(item.key, { kind: 'done', version: item.version })
    if (!isNew) continue
    const page = await source.fetch?.(item.key, signal)
    if (page === undefined || 'code' in page) throw new Error(`${item.key}: ${page?.message}`)
    const chunks: Buffer[] = []
    for await (const chunk of page.read(signal)) chunks.push(Buffer.from(chunk))
    text.set(urlOfKey(item.key).pathname, Buffer.concat(chunks).toString())
    await page[Symbol.asyncDispose]()
  }
  checkPace(site)
  for (const key of ledger.keys()) if (!listed.has(key)) ledger.delete(key)
  return { bodies: [...site.bodies], text }
}

const optionsFor = (site: GeneratedSite): SiteSourceOptions => ({
  ...SITE_OPTIONS,
  start: new URL(site.url),
  limit: 10_000,
  depth: 100,
  delayMs: DELAY_MS,
  exclude: ['**/deep/**'],
})

const documentsOf = (ledger: Ledger): string[] =>
  [...ledger].flatMap(([key, { kind }]) => (kind === 'done' ? urlOfKey(key).href : [])).toSorted()

/**
 * Site and crawler share the event loop of this test, and a stall of it delays an arrival: ten gaps together are exact
 * enough. `website-once.test.ts` measures each gap between processes.
 */
function checkPace({ arrivals }: GeneratedSite): void {
  const tens = arrivals.slice(10).map((at, index) => at - (arrivals[index] ?? 0))
  tally.tens += tens.length
  tally.shortestTen = Math.min(tally.shortestTen, ...tens)
  expect(tens.filter((ten) => ten < 8 * DELAY_MS)).toEqual([])
}

const tally = { tens: 0, shortestTen: Infinity, bodies: [0, 0, 0] }
afterAll(() => {
  if (process.env.SITE_COUNT !== undefined) process.stdout.write(`${JSON.stringify(tally)}\n`)
})

/** Bodies that travelled for nothing: pages with a validator that did not change, the start page excepted. */
function checkBodies(site: GeneratedSite, { bodies }: Pass, changed: readonly string[]): void {
  const needed = new Set(['/', ...changed, ...site.unvalidated])
  expect(bodies.filter((path) => !needed.has(path))).toEqual([])
}

test.each(Array.from({ length: SITES }, (_, index) => SEED + index))(
  'site %i is read as a good crawler reads it',
  async (seed) => {
    await using site = await GeneratedSite.open({ seed, pages: 20 + (seed % 50), isHard: true })
    const ledger: Ledger = new Map()
    const first = await pass(site, ledger)
    expect(documentsOf(ledger)).toEqual([...site.healthy].toSorted())
    expect([...first.text.values()].filter((text) => text.includes('Error 500'))).toEqual([])

    const mended = site.mend()
    const second = await pass(site, ledger)
    expect(documentsOf(ledger)).toEqual([...site.reachable].toSorted())
    checkBodies(site, second, mended)

    const { changed, added } = site.change(0.1)
    const third = await pass(site, ledger)
    expect(documentsOf(ledger)).toEqual([...site.reachable].toSorted())
    expect([...third.text.keys()].toSorted()).toEqual([...changed, ...added].map((path) => path).toSorted())
    checkBodies(site, third, [...changed, ...added])

    for (const [at, { bodies }] of [first, second, third].entries())
      tally.bodies[at] = (tally.bodies[at] ?? 0) + bodies.length
    expect(site.askedOutside).toEqual([])
    expect(site.asked.filter((path) => path.startsWith('/forbidden'))).toEqual([])
  },
  120_000,
)
