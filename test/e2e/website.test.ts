import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { GeneratedSite } from '../support/generated-site.ts'
import { sluice, startSluice } from '../support/sluice.ts'
import { openSite, type Page } from '../support/web-site.ts'
import { seedFrom } from '../support/seed.ts'
import { until } from '../support/wait.ts'

/* `sluice run https://…`: a website as a source, against a scripted service that counts what is bought. */

const SEED = seedFrom('SITE_SEED', 'fresh')

const scraped = (url: string): Page => {
  const data = { markdown: `# ${url}`, metadata: { sourceURL: url, statusCode: 200, creditsUsed: 1 } }
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ success: true, data }) }
}

/** A service with `/v2/scrape`, and with `/v2/map` where `addresses` are given. */
async function openService(addresses: (() => readonly string[]) | null = null) {
  const bought: string[] = []
  const mapped: unknown[] = []
  const service = await openSite((path, body) => {
    if (path !== '/v2/map' && path !== '/v2/scrape') return undefined
    const request = JSON.parse(body) as { readonly url: string }
    if (path === '/v2/map' && addresses !== null) {
      mapped.push(request)
      const links = addresses().map((url) => ({ url, title: 'a page' }))
      return { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ success: true, links }) }
    }
    if (path !== '/v2/scrape') return { status: 404, body: '{"success":false,"error":"Not Found"}' }
    bought.push(request.url)
    return scraped(request.url)
  })
  return Object.assign(service, { bought, mapped })
}

const argsFor = (site: GeneratedSite, out: string, service: { readonly url: string }): string[] => [
  'run',
  site.url,
  '--out',
  out,
  '--parse-api-url',
  service.url,
  '--parse-api-key',
  'test-key',
  '--allow-private-addresses',
  '--site-depth',
  '50',
  '--exclude',
  '**/deep/**',
]

describe('a website', () => {
  test(`of 1,000 pages is bought once, and then only its changed pages (seed ${SEED})`, async () => {
    await using folder = await tempFolder()
    await using site = await GeneratedSite.open({ seed: SEED, pages: 1_000 })
    await using service = await openService()
    const out = join(folder.path, 'out')
    const args = argsFor(site, out, service)

    const first = await sluice(args)
    expect([first.code, first.stderr]).toEqual([0, expect.anything()])
    expect(service.bought.toSorted()).toEqual([...site.reachable].toSorted())
    expect(site.askedOutside).toEqual([])
    expect(first.stderr + first.stdout).toMatch(/robots\.txt forbids/)

    service.bought.length = 0
    expect((await sluice(args)).code).toBe(0)
    expect(service.bought).toEqual([])

    const { changed, removed, added } = site.change(0.01)
    expect((await sluice(args)).code).toBe(0)
    expect(service.bought.toSorted()).toEqual([...changed, ...added].map((path) => `${site.url}${path}`).toSorted())
    const { records } = await readStore(out)
    const gone = [...records.values()].filter(({ goneAt }) => goneAt !== undefined).map(({ key }) => key)
    expect(gone).toHaveLength(removed.length)

    await sluice([...args, '--delete-gone'])
    expect((await readStore(out)).records.size).toBe(site.reachable.length)
  }, 240_000)

  test('sends in later runs the bodies of changed pages only, to the embedded engine', async () => {
    await using folder = await tempFolder()
    await using site = await GeneratedSite.open({ seed: SEED + 4, pages: 40, isHard: true })
    const out = join(folder.path, 'out')
    const args = [
      'run',
      site.url,
      '--out',
      out,
      '--allow-private-addresses',
      '--exclude',
      '**/deep/**',
      '--site-depth',
      '50',
    ]
    await sluice(args)
    site.mend()
    expect((await sluice(args)).code).toBe(0)
    const { records } = await readStore(out)
    expect(records.size).toBe(site.reachable.length)
    const addresses = [...records.values()].map(({ metadata }) => metadata?.address ?? 'none')
    expect(addresses.filter((address) => !address.startsWith(site.url))).toEqual([])
    const { changed, added } = site.change(0.1)
    site.bodies.length = 0
    const third = await sluice([...args, '--json'])
    expect([third.code, third.stdout]).toEqual([
      0,
      expect.stringContaining(`"requests":${changed.length + added.length},`),
    ])
    const needed = new Set(['/', ...changed, ...added, ...site.unvalidated])
    expect(site.bodies.filter((path) => !needed.has(path))).toEqual([])
    expect([...needed].filter((path) => site.bodies.indexOf(path) !== site.bodies.lastIndexOf(path))).toEqual([])
  }, 240_000)

  test('is listed by a service with /v2/map, limited to the pages of the site', async () => {
    await using folder = await tempFolder()
    await using site = await GeneratedSite.open({ seed: SEED + 1, pages: 60 })
    const outside = ['http://10.0.0.8/', 'https://elsewhere.example/page', `${site.url}/forbidden/page.html`]
    await using service = await openService(() => [...site.reachable, ...outside])
    const out = join(folder.path, 'out')
    const run = await sluice(argsFor(site, out, service))
    expect([run.code, run.stderr]).toEqual([0, expect.anything()])
    expect(service.mapped).toEqual([
      { url: `${site.url}/`, limit: 10_000, sitemap: 'include', includeSubdomains: false },
    ])
    expect(service.bought.toSorted()).toEqual([...site.reachable].toSorted())
    expect(site.asked.some((path) => path.includes('utm_source'))).toBe(false)
    // To plan buys nothing, a map neither.
    const plan = argsFor(site, out, service).with(0, 'plan')
    expect((await sluice(plan)).code).toBe(0)
    expect(service.mapped).toHaveLength(1)
  }, 240_000)

  test('charges the credit of its map to the run and --max-credits, and none to a plan', async () => {
    await using folder = await tempFolder()
    await using site = await GeneratedSite.open({ seed: SEED + 3, pages: 12 })
    await using service = await openService(() => site.reachable)
    const most = site.reachable.length
    const args = argsFor(site, join(folder.path, 'out'), service)
    const plan = await sluice(args.with(0, 'plan'))
    expect(plan.stderr).toContain(
      'is listed from sitemaps and links; a run first asks the service for a list (/v2/map, 1 credit)',
    )
    const first = await sluice([...args, '--max-credits', String(most)])
    // One of them paid for the map.
    expect([first.code, service.mapped.length, service.bought.length]).toEqual([3, 1, most - 1])
    expect(first.stdout).toContain(`${most} credits (estimated)`)
    const none = await sluice([...args, '--max-credits', '0.5', '--site-listing', 'map'])
    expect([none.stderr, service.mapped.length]).toEqual([
      expect.stringContaining('cannot be listed by the service: '),
      1,
    ])
    // The month has spent the map and all pages but one.
    const month = await sluice([...args, '--monthly-credits', String(most), '--site-listing', 'map'])
    expect([month.stderr, service.mapped.length]).toEqual([expect.stringContaining('the budget for the month'), 1])
    const rest = await sluice(args)
    expect([rest.code, service.mapped.length, service.bought.length]).toEqual([0, 2, most])
  }, 240_000)

  test('is downloaded and parsed by the embedded engine, and watch --every reports new, changed and removed pages', async () => {
    await using folder = await tempFolder()
    await using site = await GeneratedSite.open({ seed: SEED + 2, pages: 30 })
    const out = join(folder.path, 'out')
    const args = ['run', site.url, '--out', out, '--allow-private-addresses', '--exclude', '**/deep/**']
    const run = await sluice([...args, '--via', 'download'])
    expect([run.code, run.stderr]).toEqual([0, expect.anything()])
    expect((await readStore(out)).records.size).toBe(site.reachable.length)
    const again = await sluice([...args, '--via', 'download', '--json'])
    expect(again.stdout).toMatch(/"requests":0,/)

    const { changed, removed, added } = site.change(0.1)
    const watch = startSluice(['watch', ...args.slice(1), '--via', 'download', '--every', '* * * * * *'])
    const reported = `scan: ${added.length} new, ${changed.length} changed, ${removed.length} gone`
    await until('the changes', 60_000, async () => watch.stderr().includes(reported))
    watch.child.kill('SIGINT')
    expect((await watch.finished).code).toBe(0)
  }, 240_000)
})
