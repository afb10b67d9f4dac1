import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../support/temp-folder.ts'
import { startTestRedis } from '../../support/redis.ts'
import { errorReply, parsedReply, ScriptedService } from '../../support/scripted-service.ts'
import { startSluice } from '../../support/sluice.ts'
import { findChromium, startChromium } from './support/chromium.ts'
import { openView } from './support/viewed.ts'

const found = await findChromium()
if (typeof found === 'string') console.warn(`the live overview is not tried: ${found}`)

/** A service that takes so many requests in two seconds and refuses the others. */
function limited(perWindow: number): ScriptedService {
  let window = 0
  let taken = 0
  return new ScriptedService({
    readParts: false,
    answers: () => {
      const now = Math.floor(Date.now() / 2_000)
      if (now !== window) [window, taken] = [now, 0]
      taken += 1
      if (taken > perWindow) return errorReply(429, 'Rate limit exceeded')
      return { ...parsedReply('# Parsed\n', { metadata: { creditsUsed: 2 } }), delayMs: 900 }
    },
  })
}

test.skipIf(typeof found === 'string')(
  'the overview follows a run: workers, documents, learned limits, refusals, credits and the cap',
  async () => {
    if (typeof found === 'string') throw new Error(found)
    await using resources = new AsyncDisposableStack()
    const folder = resources.use(await tempFolder())
    const redis = resources.use(await startTestRedis())
    const service = resources.use(await limited(12).listen())
    const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
    await mkdir(source)
    for (let at = 0; at < 900; at += 1) await writeFile(join(source, `letter-${at}.html`), `<p>Letter ${at}.</p>`)
    const env = {
      REDIS_URL: redis.url,
      PARSE_API_URL: service.url,
      PARSE_API_KEY: 'key',
      SLUICE_RATE_WINDOW_MS: '2000',
      XDG_CACHE_HOME: folder.path,
    }
    const run = startSluice(['run', source, '--out', out, '--max-credits', '2000', '--concurrency', '12'], { env })
    resources.defer(async () => {
      run.child.kill('SIGKILL')
      await run.finished
    })
    await expect.poll(() => service.charged, { timeout: 240_000 }).toBeGreaterThan(3)
    const viewed = resources.use(await openView([source, '--out', out], env))
    const browser = await startChromium(found.path)
    resources.defer(() => browser.close())
    const page = await browser.newPage({ viewport: { width: 1_280, height: 1_000 } })
    await page.goto(viewed.url)
    await page.getByText(/of 900 documents, .* a second, about .* left/).waitFor()
    const workers = page.locator('#live-workers tbody tr')
    expect(await workers.count()).toBe(1)
    await workers
      .getByText(/letter-\d+\.html/)
      .first()
      .waitFor()
    await workers
      .getByText(/request for \d/)
      .first()
      .waitFor()
    const limiter = page.locator('#live-limiter')
    await limiter.getByText(/\d+\/min, learned/).waitFor({ timeout: 240_000 })
    await limiter.getByText(/\d+ (rate|unknown|concurrency)/).waitFor()
    await page
      .locator('#live-budgets')
      .getByText(/of 2,000/)
      .waitFor()
    const labels = page.locator('#live-charts svg')
    await expect.poll(() => labels.count(), { timeout: 240_000 }).toBe(4)
    const names = await labels.evaluateAll((all) =>
      all.map((one) => (one as unknown as { getAttribute(name: string): string }).getAttribute('aria-label')),
    )
    expect(names.map((name) => /^(.*) over the last \d+ min: now [\d.,]+/.exec(name)?.[1])).toEqual([
      'Documents a second',
      'Requests a minute',
      'Requests in flight',
      'Refusals a minute',
    ])
  },
  240_000,
)
