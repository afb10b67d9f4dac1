import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hostileDocuments } from '../hostile-documents.ts'
import { findChromium, startChromium } from './support/chromium.ts'
import { startView } from './support/viewed.ts'

const DOCUMENTS = Number(process.env['HOSTILE_DOCUMENTS'] ?? 300)
const SEED = Number(process.env['HOSTILE_SEED'] ?? 1)

/** Formats that take a text as it is; in these a script could come through whole. */
const EXTENSIONS = ['html', 'md', 'xhtml', 'txt', 'csv', 'htm'] as const

const found = await findChromium()
if (typeof found === 'string') console.warn(`hostile documents are not opened: ${found}`)

test.skipIf(typeof found === 'string')(
  `of ${DOCUMENTS} documents that carry scripts (seed ${SEED}), none runs one and none asks another server`,
  async () => {
    if (typeof found === 'string') throw new Error(found)
    const asked: string[] = []
    await using resources = new AsyncDisposableStack()
    const canary = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.end()
    }).listen(0, '127.0.0.1')
    resources.defer(() => void canary.close())
    await new Promise((listening) => canary.once('listening', listening))
    const host = `http://127.0.0.1:${(canary.address() as AddressInfo).port}`
    const texts = hostileDocuments(SEED, DOCUMENTS, host)
    const keys = texts.map((_, at) => `${at}.${EXTENSIONS[at % EXTENSIONS.length]}`)
    const viewed = resources.use(
      await startView(async (source) => {
        await mkdir(source)
        for (const [at, text] of texts.entries()) await writeFile(join(source, keys[at] ?? ''), text)
      }),
    )
    const browser = await startChromium(found.path)
    resources.defer(() => browser.close())
    const page = await browser.newPage()
    const events: string[] = []
    page.on('dialog', (dialog) => void dialog.dismiss().then(() => events.push('dialog')))
    page.on('popup', () => events.push('popup'))
    page.on('request', (request) => {
      if (!request.url().startsWith(viewed.url)) events.push(request.url())
    })
    let frames = 0
    for (const key of keys) {
      await page.goto(`${viewed.url}document?key=${encodeURIComponent(key)}`, { waitUntil: 'load' })
      for (const frame of page.frames()) {
        frames += 1
        // The world of the page, in which a script of the document would have left its mark.
        if ((await frame.evaluate('window.ran')) !== undefined) events.push(`${key} ran a script`)
      }
      expect(new URL(page.url()).pathname.endsWith('/document')).toBe(true)
    }
    expect(events).toEqual([])
    expect(asked).toEqual([])
    // Each has its page, and most a frame or two.
    expect(frames).toBeGreaterThan(1.5 * DOCUMENTS)
  },
  600_000,
)
