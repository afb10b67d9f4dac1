import { describe, expect, test } from 'vitest'
import type { SiteItem, SiteOptions, SiteSummary } from '../src/site/walk-options.ts'
import { walkSite } from '../src/site/walk-site.ts'
import { GeneratedSite } from '../../../test/support/generated-site.ts'
import { seedFrom } from '../../../test/support/seed.ts'

const SEED = seedFrom('SITE_SEED', 20_261_122)

const OPTIONS: Omit<SiteOptions, 'start'> = {
  listing: 'links',
  limit: 100_000,
  depth: 50,
  delayMs: 0,
  obeyRobots: true,
  allowPrivateAddresses: true,
  maxBytes: 1024 ** 2,
}

async function walked(options: SiteOptions): Promise<{ readonly items: SiteItem[]; readonly summary: SiteSummary }> {
  const items: SiteItem[] = []
  const ends: SiteSummary[] = []
  const onEnd = (summary: SiteSummary): void => void ends.push(summary)
  for await (const item of walkSite({ ...options, onEnd }, new AbortController().signal)) items.push(item)
  const [summary] = ends
  if (summary === undefined) throw new Error('the walk did not come to its end')
  return { items, summary }
}

const pagesOf = (items: readonly SiteItem[]): string[] =>
  items.flatMap((item) => (item.kind === 'page' ? [item.url.href] : [])).filter((href) => !href.includes('/deep/'))

describe('the walk of a generated website', () => {
  test(`finds every reachable page once and requests nothing outside (seed ${SEED})`, async () => {
    await using site = await GeneratedSite.open({ seed: SEED, pages: 300 })
    const { items, summary } = await walked({ ...OPTIONS, start: new URL(site.url) })
    expect(pagesOf(items).toSorted()).toEqual([...site.reachable].toSorted())
    expect(site.askedOutside).toEqual([])
    expect(site.asked.filter((path) => path.startsWith('/forbidden/'))).toEqual([])
    expect(site.asked.filter((path) => path.startsWith('/deep/')).length).toBeLessThanOrEqual(4)
    expect(items.filter(({ kind }) => kind === 'failed')).toEqual([])
    expect(summary.truncated).toBe(false)
    expect(summary.forbidden).toBeGreaterThan(0)
    expect(summary.absent).toBeGreaterThan(0)
  }, 240_000)

  test('keeps the version of a page until its content changes', async () => {
    await using site = await GeneratedSite.open({ seed: SEED + 1, pages: 100 })
    const versions = async (): Promise<Map<string, string>> => {
      const { items } = await walked({ ...OPTIONS, start: new URL(site.url) })
      return new Map(items.flatMap((item) => (item.kind === 'page' ? [[item.url.pathname, item.version]] : [])))
    }
    const before = await versions()
    expect(await versions()).toEqual(before)
    const { changed, removed, added } = site.change(0.06)
    const after = await versions()
    const differing = [...after].filter(([path, version]) => before.get(path) !== version).map(([path]) => path)
    expect(differing.toSorted()).toEqual([...changed, ...added].toSorted())
    expect(removed.filter((path) => after.has(path))).toEqual([])
  }, 240_000)

  test('stops at its limits, and reports it', async () => {
    await using site = await GeneratedSite.open({ seed: SEED + 2, pages: 100 })
    const start = new URL(site.url)
    const few = await walked({ ...OPTIONS, start, limit: 10 })
    expect(few.items.filter(({ kind }) => kind === 'page')).toHaveLength(10)
    expect(few.summary.truncated).toBe(true)
    const near = await walked({ ...OPTIONS, start, depth: 0 })
    expect(near.items.length).toBeLessThan(site.reachable.length)
    expect(near.summary.truncated).toBe(false)
  }, 240_000)

  test('stays below its start path', async () => {
    await using site = await GeneratedSite.open({ seed: SEED + 3, pages: 200 })
    const { items } = await walked({ ...OPTIONS, start: new URL(`${site.url}/guide`), listing: 'sitemap' })
    const pages = pagesOf(items)
    expect(pages.length).toBeGreaterThan(0)
    expect(pages.filter((href) => !new URL(href).pathname.startsWith('/guide/'))).toEqual([])
  }, 240_000)

  test('fails when the site lacks the start page and any other', async () => {
    await using site = await GeneratedSite.open({ seed: SEED + 4, pages: 10 })
    const start = new URL(`${site.url}/nowhere/`)
    await expect(walked({ ...OPTIONS, start })).rejects.toThrow(`${start.href}: the site has no such page`)
  })

  test('requests nothing from a private address', async () => {
    await using site = await GeneratedSite.open({ seed: SEED + 5, pages: 10 })
    const walk = walked({ ...OPTIONS, start: new URL(site.url), allowPrivateAddresses: false })
    await expect(walk).rejects.toThrow(/private, loopback or link-local/)
    expect(site.asked).toEqual([])
  })
})
