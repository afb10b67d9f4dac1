import { cp, mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { PlainBucket } from '../../campaign/world/plain-s3.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { startS3Server } from '../../support/s3-server.ts'
import { sluice } from '../../support/sluice.ts'
import { findChromium, startChromium } from './support/chromium.ts'
import { openView, program } from './support/viewed.ts'

const SAMPLES = resolve(import.meta.dirname, '../../../samples')

const found = await findChromium()
const s3 = typeof found === 'string' ? null : await startS3Server()
const reason = typeof found === 'string' ? found : s3?.kind === 'unavailable' ? s3.reason : null
if (reason !== null) console.warn(`sluice view is not tried on a store in a bucket: ${reason}`)

test.skipIf(reason !== null)(
  'sluice view on a store in a bucket lists documents, draws a page next to its Markdown, and follows a citation',
  async () => {
    if (typeof found === 'string' || s3?.kind !== 'ready') throw new Error(String(reason))
    await using resources = new AsyncDisposableStack()
    resources.use(s3)
    const bucket = new PlainBucket(s3, `view-${process.pid}`)
    await bucket.create()
    const folder = resources.use(await tempFolder())
    const source = join(folder.path, 'in')
    await mkdir(source)
    for (const name of ['annual-report.pdf', 'lock-faq.htm']) await cp(join(SAMPLES, name), join(source, name))
    const out = `s3://${bucket.name}/parsed`
    const env = {
      ...s3.env,
      SLUICE_STATE_DIR: join(folder.path, 'state'),
    }
    const done = await sluice(['run', source, '--out', out, '--quiet'], { program, env })
    expect([done.code, done.stderr]).toEqual([0, ''])
    expect(await bucket.list('parsed/documents/annual-report.pdf/')).toContain(
      'parsed/documents/annual-report.pdf/record.json',
    )

    const viewed = resources.use(await openView([source, '--out', out, '--cache-dir', join(folder.path, 'cache')], env))
    const browser = await startChromium(found.path)
    resources.defer(() => browser.close())
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('pageerror', ({ message }) => problems.push(message))
    page.on('request', (request) => {
      if (!request.url().startsWith(viewed.url)) problems.push(`asked for ${request.url()}`)
    })
    await page.goto(`${viewed.url}documents`)
    const names = page.locator('tbody tr th')
    await expect
      .poll(async () => (await page.reload(), (await names.allInnerTexts()).toSorted()), { timeout: 240_000 })
      .toEqual(['annual-report.pdf', 'lock-faq.htm'])

    await page.getByRole('link', { name: 'annual-report.pdf' }).click()
    await page.waitForURL(/document\?key=annual-report\.pdf/)
    const image = page.locator('.sheet img')
    const widthOf = (element: unknown): number => (element as { readonly naturalWidth: number }).naturalWidth
    await expect.poll(() => image.evaluate(widthOf), { timeout: 240_000 }).toBeGreaterThan(800)
    const markdown = page.frameLocator('#markdown')
    await markdown.getByText('1. The year on one page').waitFor()
    await page.locator('svg rect.type-title').hover()
    expect(await markdown.locator('.lit').allInnerTexts()).toEqual(['Annual report 2024'])

    await page.locator('.cite').first().click()
    await page.waitForURL(/span=0-/)
    expect(await page.locator('rect.cited').count()).toBe(1)
    expect(await page.frameLocator('#markdown').locator('mark').allInnerTexts()).toEqual(['Annual report 2024'])
    expect(problems).toEqual([])
  },
  240_000,
)
