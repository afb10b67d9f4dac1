import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { DocumentIndex } from '#src/view/document-index.ts'
import { openViewServer } from '#src/view/view-server.ts'
import { MemoryStore } from '../../test/support/memory-store.ts'
import { findChromium, startChromium } from '../../test/view/browser/support/chromium.ts'

const ROUNDS = 5

/** First contentful paint of the pages over the index, and whether a row was ever blank while the list was scrolled. */
export async function measureInChromium(index: DocumentIndex): Promise<void> {
  const found = await findChromium()
  if (typeof found === 'string') return console.log(`not measured in Chromium: ${found}`)
  await using server = await openViewServer({
    port: 0,
    store: new MemoryStore(),
    sources: [],
    index,
    draw: async () => null,
    render: async () => null,
    live: null,
    isIndexed: () => true,
    version: 'bench',
    allowWrites: false,
    retry: null,
    retryCommand: () => null,
    onError: console.error,
  })
  const browser = await startChromium(found.path)
  try {
    for (const path of [
      '',
      'documents',
      'documents?page=900',
      'documents?q=report-77777',
      'documents?sort=at&order=desc',
    ]) {
      const paints: number[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        const page = await (await browser.newContext()).newPage()
        await page.goto(server.url + path, { waitUntil: 'load' })
        paints.push(await firstPaint(page))
        await page.context().close()
      }
      const sorted = paints.toSorted((a, b) => a - b).map((ms) => ms.toFixed(0))
      console.log(
        `first contentful paint of /${path}`.padEnd(60),
        `${sorted[Math.floor(ROUNDS / 2)]} ms (${sorted.join(', ')})`,
      )
    }
    const page = await (await browser.newContext()).newPage()
    await page.goto(`${server.url}documents`, { waitUntil: 'load' })
    console.log(`blank rows seen while scrolling: ${await blankRows(page)}`)
  } finally {
    await browser.close()
  }
}

async function firstPaint(page: Page): Promise<number> {
  for (let tries = 0; tries < 50; tries += 1) {
    const at = Number(await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1"))
    if (at >= 0) return at
    await sleep(50)
  }
  return Number.NaN
}

/** Visible rows without text, over one fling from top to bottom and back. */
async function blankRows(page: Page): Promise<number> {
  let blank = 0
  for (const step of [700, -700]) {
    for (let at = 0; at < 8; at += 1) {
      await page.mouse.wheel(0, step)
      blank += Number(
        await page.evaluate(`[...document.querySelectorAll('tbody tr')].filter((row) => {
          const { top, bottom } = row.getBoundingClientRect()
          return bottom > 0 && top < innerHeight && row.innerText.trim() === ''
        }).length`),
      )
    }
  }
  return blank
}
