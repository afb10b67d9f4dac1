import { readFile } from 'node:fs/promises'
import type { Context, Hono } from 'hono'
import { extensionOf, isPaged } from '@sluice/contract'
import { sourceKey } from '#src/document/ids.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { readCitation } from './citation.ts'
import { shownContent } from './content.ts'
import { CONTENT_HEADERS, PAGE_HEADERS } from './headers.ts'
import { shownDocument } from './read-blocks.ts'
import { paramsOf } from './read-query.ts'
import { differingLines, receiptsFor, type ShownReceipt, shownReceipt } from './receipts.ts'
import { sourceFile } from './source-file.ts'
import type { ViewOptions } from './view-options.ts'

/** Maximum side length of a drawn page, in pixels. */
const LONGEST_SIDE = 1_600

const HIGHEST_DPI = 120

/** Sizes of pages are pixels at this resolution. */
const SIZE_DPI = 144

const A4_HEIGHT = 1_684

const hasPages = (key: string): boolean => {
  const extension = extensionOf(key)
  return extension !== null && isPaged(extension)
}

const content = (c: Context, body: string): Response => {
  const base = `/${c.req.param('token') ?? ''}`
  const head = `<!doctype html><meta charset="utf-8"><title>Content</title><link rel="stylesheet" href="${base}/assets/content.css">`
  return c.html(`${head}<body><article>${body}</article>`, 200, CONTENT_HEADERS)
}

/** Content of documents: in frames without scripts, and pictures of pages. */
export function addContent(app: Hono, { store, sources, draw, render }: ViewOptions): void {
  const recordOf = (c: Context): Promise<DocumentRecord | null> =>
    store.documents.read(sourceKey(paramsOf(c).get('key') ?? ''))

  app.get('/content/markdown', async (c) => {
    const params = paramsOf(c)
    const markdown = await store.documents.readOutput(sourceKey(params.get('key') ?? ''), 'document.md')
    if (markdown === null) return content(c, '<p>The document was parsed without Markdown.</p>')
    const { spans } = readCitation(params)
    return content(c, await shownContent('markdown', markdown.toString('utf8'), spans, render))
  })
  app.get('/content/source', async (c) => {
    const record = await recordOf(c)
    const path = record === null ? null : await sourceFile(record, sources)
    if (path === null) return content(c, '<p>The original document cannot be read on this machine.</p>')
    return content(c, await shownContent('html', (await readFile(path)).toString('utf8'), [], render))
  })
  app.get('/content/receipt', async (c) => {
    const record = await recordOf(c)
    const all = record === null ? [] : await receiptsFor(record, store)
    const read = async (name: string): Promise<ShownReceipt | null> => {
      const listed = all.find(({ id }) => id === paramsOf(c).get(name))
      return listed === undefined ? null : shownReceipt(listed, store)
    }
    const [own, other] = await Promise.all([read('id'), read('other')])
    if (own === null) return content(c, '<p>The receipt cannot be read.</p>')
    const marked = other === null ? [] : differingLines(own.markdown, other.markdown)
    return content(c, await shownContent('markdown', own.markdown, marked, render))
  })
  app.get('/page.png', async (c) => {
    const record = await recordOf(c)
    const path = record === null || !hasPages(record.key) ? null : await sourceFile(record, sources)
    const number = Math.floor(Number(paramsOf(c).get('page') ?? 1)) || 1
    const drawn =
      path === null || record === null ? null : await draw({ path, page: number, dpi: await dpiOf(record.key) })
    if (drawn === null) return c.text('this page cannot be rendered', 404, PAGE_HEADERS)
    return c.body(new Uint8Array(drawn), 200, { ...PAGE_HEADERS, 'content-type': 'image/png' })
  })

  /** Lower for large pages: a hostile one may be metres wide. */
  const dpiOf = async (key: string): Promise<number> => {
    const shown = await shownDocument(sourceKey(key), store)
    const sides = (shown?.blocks ?? []).flatMap(({ width, height }) => [width ?? 0, height ?? 0])
    const longest = sides.reduce((most, side) => Math.max(most, side), A4_HEIGHT)
    return Math.max(10, Math.min(HIGHEST_DPI, Math.floor((LONGEST_SIDE * SIZE_DPI) / longest)))
  }
}
