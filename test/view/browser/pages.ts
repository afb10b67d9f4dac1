import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { receiptId, sourceKey } from '#src/document/ids.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import { findChromium, startChromium } from './support/chromium.ts'
import { samples, startView, type Viewed } from './support/viewed.ts'

const found = await findChromium()
if (typeof found === 'string') console.warn(`the pages of view are not tried: ${found}`)

const SCREENSHOTS = resolve(import.meta.dirname, '../../../docs/images')

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core'), 'utf8')

/** As a service would have answered for the same bytes: another figure, and a paragraph more. */
async function keepOtherAnswer(out: string): Promise<void> {
  const store = await openFolderStore({ path: out })
  const record = await store.documents.read(sourceKey('annual-report.pdf'))
  const markdownFile = await store.documents.readOutput(sourceKey('annual-report.pdf'), 'document.md')
  if (record === null || markdownFile === null) throw new Error('annual-report.pdf was not parsed')
  const markdown = `${markdownFile.toString('utf8').replace('1,130', '1,180')}\n\nPrinted by the Authority.\n`
  const body = Buffer.from(
    JSON.stringify({ success: true, data: { markdown, metadata: { numPages: 3, creditsUsed: 3 } } }),
  )
  const parser = {
    class: 'service',
    origin: 'https://api.example',
    version: null,
    at: '2026-11-20T09:00:00.000Z',
  } as const
  await store.receipts.save(receiptId(record.contentHash, record.recipeHash, 'service'), body, parser)
}

/** Every page, and a document of each kind: with a picture, cited, without a page view, failed, as HTML. */
const PATHS = [
  '',
  'documents?q=a&sort=at',
  'failures',
  'search?q=cost+of+Gannet+Lock',
  'chunks?key=annual-report.pdf&chunk=2',
  'document?key=annual-report.pdf&page=2',
  'document?key=annual-report.pdf&span=22-48&box=0.1,0.1,0.5,0.2',
  'document?key=lock-register.xlsx',
  'document?key=lock-faq.htm',
  'document?key=broken.pdf',
  'compare?key=annual-report.pdf',
]

/** Serious and critical findings of axe-core. */
async function findings(page: Page): Promise<readonly string[]> {
  // Past our own policy, which refuses inline scripts: the world of the test, not of the page.
  const session = await page.context().newCDPSession(page)
  const { frameTree } = await session.send('Page.getFrameTree')
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
  })
  await session.send('Runtime.evaluate', { expression: axe, contextId })
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, { iframes: false }).then(({ violations }) => JSON.stringify(violations))`,
    contextId,
    awaitPromise: true,
  })
  const violations = JSON.parse(String(result.value)) as { id: string; impact: string; nodes: { html: string }[] }[]
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
}

describe.skipIf(typeof found === 'string')('with sluice view in Chromium,', () => {
  let viewed: Viewed
  let browser: Browser
  const problems: string[] = []

  const open = async (path: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> => {
    const page = await (await browser.newContext(options)).newPage()
    page.on('pageerror', (error) => problems.push(`${path}: ${error.message}`))
    page.on('console', (message) => {
      // What the test itself evaluates in a frame that runs no script.
      const isExpected = message.text().startsWith('Blocked script execution')
      if (message.type() === 'error' && !isExpected) problems.push(`${path}: ${message.text()}`)
    })
    page.on('request', (request) => {
      if (!request.url().startsWith(viewed.url)) problems.push(`${path}: asked for ${request.url()}`)
    })
    await page.goto(viewed.url + path, { waitUntil: 'load' })
    return page
  }

  beforeAll(async () => {
    if (typeof found === 'string') return
    const fill = async (source: string): Promise<void> => {
      await samples(source)
      await writeFile(join(source, 'broken.pdf'), 'This is no PDF.')
    }
    viewed = await startView(fill, ['--allow-writes'])
    await keepOtherAnswer(viewed.out)
    browser = await startChromium(found.path)
  }, 400_000)

  afterAll(async () => {
    await browser?.close()
    await viewed?.[Symbol.asyncDispose]()
  })

  test('the overview shows the state of the run', async () => {
    const page = await open('')
    await page.getByText(/2\d of 2\d documents/).waitFor()
    expect(await page.locator('#totals').innerText()).toMatch(/Documents\s*2\d/)
    expect(await page.locator('#live-tiles').innerText()).toMatch(/Failed\s*1/)
  })

  test('the slash key reaches the search of texts; the list searches names, filters and sorts', async () => {
    const page = await open('documents')
    await page.keyboard.press('/')
    await page.keyboard.type('report')
    await page.keyboard.press('Enter')
    await page.waitForURL(/search\?q=report/)
    await page.goto(`${viewed.url}documents`)
    await page.getByLabel('Name').fill('report')
    await page.keyboard.press('Enter')
    await page.waitForURL(/documents\?q=report/)
    expect(await page.locator('tbody tr').count()).toBe(1)
    await page.goto(`${viewed.url}documents`)
    await page.getByLabel('Outcome').selectOption('failed')
    await page.getByRole('button', { name: 'Show' }).click()
    expect(await page.locator('tbody tr th').innerText()).toMatch(/broken\.pdf\s+wrong_type/)
    await page.goto(`${viewed.url}documents`)
    await page.getByRole('link', { name: 'Pages', exact: true }).click()
    await page.getByRole('link', { name: 'Pages', exact: true }).click()
    expect(await page.locator('tbody tr th').first().innerText()).toBe('annual-report.pdf')
  })

  test('hovering a block marks its Markdown, and hovering Markdown marks its block', async () => {
    const page = await open('document?key=annual-report.pdf')
    const image = page.locator('.sheet img')
    expect(
      await image.evaluate((element) => (element as unknown as { readonly naturalWidth: number }).naturalWidth),
    ).toBeGreaterThan(800)
    const markdown = page.frameLocator('#markdown')
    await markdown.getByText('1. The year on one page').waitFor()
    await page.locator('svg rect.type-title').hover()
    expect(await markdown.locator('.lit').allInnerTexts()).toEqual(['Annual report 2024'])
    await markdown.getByText('1,130 volunteers').hover()
    const lit = page.locator('button.lit')
    expect(await lit.innerText()).toMatch(/volunteers/)
    expect(await page.locator('rect.lit').count()).toBe(1)
    await page.keyboard.press('ArrowRight')
    await page.waitForURL(/page=2/)
    expect(await page.getByText(/Page 2 of 3/).count()).toBe(1)
  })

  test('a link to a citation shows its page, marks its blocks and its text, and scrolls to it', async () => {
    const record = join(viewed.out, 'documents/annual-report.pdf')
    const markdown = await readFile(join(record, 'document.md'), 'utf8')
    const { receipt } = JSON.parse(await readFile(join(record, 'record.json'), 'utf8')) as { readonly receipt: string }
    const text = 'No two neighbouring locks'
    const start = markdown.indexOf(text)
    const cited = `key=annual-report.pdf&span=${start}-${start + text.length}`
    const page = await open(`document?${cited}&receipt=${receipt}`)
    const blocks = (await readFile(join(record, 'blocks.jsonl'), 'utf8')).split('\n').filter((line) => line !== '')
    const citedBlock = blocks
      .map(
        (line) =>
          JSON.parse(line) as { readonly pageNumber: number; readonly markdownSpan: readonly [number, number] | null },
      )
      .find(({ markdownSpan }) => markdownSpan !== null && markdownSpan[0] <= start && start < markdownSpan[1])
    expect(await page.getByText(new RegExp(`Page ${citedBlock?.pageNumber} of 3`)).count()).toBe(1)
    expect(await page.locator('rect.cited').count()).toBe(1)
    const mark = page.frameLocator('#markdown').locator('mark')
    expect(await mark.allInnerTexts()).toEqual([text])
    expect(
      await mark.evaluate((element) => {
        const { top, bottom } = (
          element as unknown as { getBoundingClientRect(): { top: number; bottom: number } }
        ).getBoundingClientRect()
        return top >= 0 && bottom <= (globalThis as unknown as { innerHeight: number }).innerHeight
      }),
    ).toBe(true)
    expect(await page.getByText('parsed again after this citation').count()).toBe(0)
    await page.goto(`${viewed.url}document?${cited}&page=1&box=0.1,0.1,0.9,0.3&receipt=older`)
    expect(await page.getByText('parsed again after this citation').count()).toBe(1)
    expect(await page.locator('rect.cited.box').count()).toBe(1)
    await page.locator('.cite').first().click()
    await page.waitForURL(/span=0-/)
    expect(await page.frameLocator('#markdown').locator('mark').allInnerTexts()).toEqual(['Annual report 2024'])
  })

  test('two receipts of a document appear next to each other, with differences marked', async () => {
    const page = await open('document?key=annual-report.pdf')
    await page.getByText('Request, receipt and content').click()
    await page.getByRole('link', { name: 'Compare the receipts' }).click()
    expect(await page.getByRole('heading', { level: 2 }).count()).toBe(2)
    const [left, right] = ['left', 'right'].map((name) => page.locator(`select[name=${name}]`).inputValue())
    expect(await left).not.toBe(await right)
    const frames = page.locator('iframe')
    expect(await frames.count()).toBe(2)
    const marked = [0, 1].map(async (at) => {
      const content = frames.nth(at).contentFrame()
      await content.getByText('Annual report 2024').first().waitFor()
      return content.locator('mark').allInnerTexts()
    })
    expect(await Promise.all(marked)).toEqual([
      ["1,130 volunteers' days given"],
      ["1,180 volunteers' days given", 'Printed by the Authority.'],
    ])
    expect(await page.getByText('One line is not in the other receipt').count()).toBe(1)
    expect(await page.getByText('2 lines are not in the other receipt').count()).toBe(1)
  })

  test('a failure names its remedy, and a button retries its document', async () => {
    const page = await open('failures')
    expect(await page.locator('main').innerText()).toMatch(/Rename the files\.[^]*broken\.pdf/)
    await page.getByRole('button', { name: 'Retry 1' }).click()
    await page.waitForURL(/failures$/)
    for (
      const until = Date.now() + 30_000;
      !/retry .*exit code 2/.test(viewed.running.stderr()) && Date.now() < until;
    ) {
      await page.waitForTimeout(100)
    }
    expect(viewed.running.stderr()).toMatch(/retry .*--code wrong_type: exit code 2/)
  })

  test('every control is reachable by keyboard, and axe-core finds no serious issue, light and dark', async () => {
    for (const path of PATHS) {
      const page = await open(path)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect([path, colorScheme, await findings(page)]).toEqual([path, colorScheme, []])
      }
      await page.context().close()
    }
    const page = await open('documents')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(page.url()).toMatch(/#main$/)
    await page.getByRole('link', { name: 'annual-report.pdf' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/document\?key=annual-report\.pdf/)
    await page.locator('button.blockname').nth(1).focus()
    expect(await page.frameLocator('#markdown').locator('.lit').allInnerTexts()).toEqual(['Annual report 2024'])
  }, 400_000)

  test('no page is wider than its window, from 390 to 1,920 pixels', async () => {
    const shots = process.env['SCREENSHOTS'] !== undefined
    for (const [width, height] of [
      [390, 844],
      [1_280, 800],
      [1_920, 1_080],
    ] as const) {
      for (const [name, path] of [
        ['overview', ''],
        ['documents', 'documents'],
        ['document', 'document?key=annual-report.pdf'],
        ['failures', 'failures'],
        ['compare', 'compare?key=annual-report.pdf'],
      ] as const) {
        const page = await open(path, { viewport: { width, height } })
        if (name === 'overview') await page.getByText(/of 2\d documents/).waitFor()
        const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'))
        expect([name, width, overflow <= 0]).toEqual([name, width, true])
        if (shots && width === 1_280 && (name === 'overview' || name === 'document')) {
          await page.emulateMedia({ colorScheme: 'light' })
          await page.screenshot({ path: join(SCREENSHOTS, `view-${name}-1280-light.png`) })
        }
        await page.context().close()
      }
    }
  }, 400_000)

  test('no page has an error, and none contacts another server', () => {
    expect(problems).toEqual([])
  })
})
