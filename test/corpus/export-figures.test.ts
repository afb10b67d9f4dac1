import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { settingsOf } from '#src/library/run.ts'
import { exportChunks } from '#src/corpus/export/export-chunks.ts'
import type { ChunkLine } from '#src/corpus/export/chunk-line.ts'
import type { ExportManifest } from '#src/corpus/export/export-manifest.ts'
import type { FigureImages } from '#src/corpus/figures/figure.ts'
import { contentHash, sourceKey } from '#src/document/ids.ts'
import { openCorpus } from '#src/library/main.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import { renderOutputs } from '#src/outputs/render.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { openFigures } from '#workers/open/open-figures.ts'
import { buildPdf, type PdfPage, paragraph, text } from '../support/build-pdf.ts'
import { BuiltPdfs } from '../support/built-pdfs.ts'
import { decodeRgb } from '../support/decode-rgb.ts'
import { collect, recordOf } from '../support/documents.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { wordCounter } from './support/word-counter.ts'
import { shared } from '../support/shared.ts'
import { readLines } from '../support/json-lines.ts'

/** A grey picture whose left half is dark, with a caption, between two paragraphs. */
const PAGE: PdfPage = {
  content:
    text(72, 80, 'The weir', 20, 'bold') +
    paragraph(72, 120, ['A paragraph of the report, long enough to be taken for one,', 'and a second line of it.']) +
    text(72, 420, 'Figure 1: The weir in flood') +
    paragraph(72, 470, ['Another paragraph stands below the picture and its caption,', 'and has a second line too.']),
  picture: { width: 40, height: 20, grey: new Uint8Array(800).map((_, at) => (at % 40 < 20 ? 40 : 200)) },
  pictureBox: [72, 392, 372, 592],
}

interface Stored {
  readonly drawn: FigureImages
  readonly store: OutputStore
  readonly papers: string
}

const { path: at } = await shared(tempFolder())
const resources = await shared(Promise.resolve(new AsyncDisposableStack()))

describe('export --figures', () => {
  let stored: Stored
  let exports = 0

  beforeAll(async () => {
    const papers = join(at, 'papers')
    await mkdir(papers)
    await using pdfs = await BuiltPdfs.open()
    const store = await openFolderStore({ path: join(at, 'store') })
    for (const name of ['one.pdf', 'two.pdf']) {
      const bytes = buildPdf(
        name === 'one.pdf' ? [PAGE] : [{ content: text(72, 80, 'Cover') }, { ...PAGE, rotate: 90 }],
      )
      await writeFile(join(papers, name), bytes)
      const { markdown, pages, blocks } = await pdfs.convertFile(join(papers, name), { mode: 'fast' })
      const files = renderOutputs({ markdown, pages, blocks }, sourceKey(name))
      const hash = contentHash(createHash('sha256').update(bytes).digest('hex'))
      const parser = { class: 'embedded', origin: 'test', version: '1', at: '2026-01-01T00:00:00.000Z' } as const
      const source = pathToFileURL(`${papers}/`).href
      await store.documents.commit(
        recordOf(name, files, { source, contentHash: hash, bytes: bytes.length, parser }),
        files,
      )
    }
    stored = { store, papers, drawn: await openFigures(store, await settingsOf({}), resources, 72) }
  })

  /** `stop`: aborted when the first document is opened. */
  async function exported(
    changes: { readonly to?: string; readonly since?: string } = {},
    stop: AbortController | null = null,
  ) {
    const { drawn } = stored
    const figures: FigureImages = {
      ...drawn,
      open: (record, signal) => {
        stop?.abort(new Error('stopped'))
        return drawn.open(record, signal)
      },
    }
    const to = changes.to ?? join(at, `export-${exports++}`)
    const asked = {
      counter: wordCounter,
      limit: 64,
      overlap: 0,
      filter: { key: () => true, outcome: null, gone: false },
      filterText: {},
      where: null,
      context: null,
      hygiene: false,
      format: 'jsonl',
      since: null,
      figures,
      ...changes,
      to,
    } as const
    await exportChunks(stored.store, asked, () => undefined, stop?.signal ?? new AbortController().signal)
    const chunks = await readLines<ChunkLine>(join(to, 'chunks.jsonl'))
    const manifest = JSON.parse(await readFile(join(to, 'manifest.json'), 'utf8')) as ExportManifest
    const names = await readdir(join(to, 'figures')).catch((): string[] => [])
    return { to, chunks, manifest, names: names.toSorted() }
  }

  /** Exports while a document holds something else, or is away. */
  async function exportedWith(name: string, content: Buffer | null) {
    const path = join(stored.papers, name)
    const bytes = await readFile(path)
    await (content === null ? rm(path) : writeFile(path, content))
    try {
      return await exported()
    } finally {
      await writeFile(path, bytes)
    }
  }

  test('writes each image with the pixels of its picture, named by the chunk of its caption', async () => {
    const { to, chunks, manifest, names } = await exported()
    const figures = chunks.filter(({ kind }) => kind === 'figure')
    expect(figures).toHaveLength(2)
    for (const { id, body, images, document, pages } of figures) {
      expect([body, images, pages]).toEqual([
        'Figure 1: The weir in flood',
        [`figures/${id}.png`],
        [document === 'one.pdf' ? 1 : 2],
      ])
      const picture = decodeRgb(await readFile(join(to, `figures/${id}.png`)))
      expect([Math.abs(picture.width - 300) <= 2, Math.abs(picture.height - 200) <= 2], document).toEqual([true, true])
      expect([picture.at(75, 100), picture.at(225, 100)]).toEqual([
        [40, 40, 40],
        [200, 200, 200],
      ])
    }
    expect(chunks.filter(({ kind }) => kind !== 'figure').every(({ images }) => images?.length === 0)).toBe(true)
    expect(names).toEqual(figures.map(({ id }) => `${id}.png`).toSorted())
    expect(manifest).toMatchObject({ figures: { dpi: 72 }, totals: { figures: { images: 2 } } })
  })

  test('counts missing images by reason: document changed, cut or removed', async () => {
    const other = buildPdf([{ content: text(72, 80, 'Another report') }])
    const whole = await readFile(join(stored.papers, 'one.pdf'))
    const sameSize = Buffer.from(whole).fill('%', whole.length - 5, whole.length - 1)
    const reasons = { no_page: 0, source_unreadable: 0, source_changed: 0, not_drawn: 0 }
    for (const [content, reason] of [
      [other, 'source_changed'],
      [sameSize, 'source_changed'],
      [null, 'source_unreadable'],
    ] as const) {
      const { manifest, chunks, names } = await exportedWith('one.pdf', content)
      expect(manifest.totals.figures).toMatchObject({ images: 1, without: { ...reasons, [reason]: 1 } })
      expect(chunks.find(({ kind, document }) => kind === 'figure' && document === 'one.pdf')?.images).toEqual([])
      expect(names).toHaveLength(1)
    }
  })

  test('names the same images the same again, and refuses a folder with a foreign image', async () => {
    const first = await exported()
    const again = await exported({ to: first.to })
    expect(again.names).toEqual(first.names)
    await writeFile(join(first.to, 'figures/mine.png'), 'x')
    await expect(exported({ to: first.to })).rejects.toThrow(/holds "mine.png", which is not part of the export/)
  })

  test('is refused after an export without figures', async () => {
    const first = await exported()
    expect((await exported({ since: first.to })).names).toEqual([])
    const path = join(first.to, 'manifest.json')
    const { figures: _, ...former } = JSON.parse(await readFile(path, 'utf8')) as ExportManifest
    await writeFile(path, JSON.stringify(former))
    await expect(exported({ since: first.to })).rejects.toThrow(/was made with figures null, not \{"dpi":72\}/)
  })

  test('leaves only the former export when it is stopped while drawing figures', async () => {
    const { to, names } = await exported()
    const before = await readdir(at)
    const stop = new AbortController()
    await expect(exported({ to }, stop)).rejects.toThrow('stopped')
    expect(await readdir(at)).toEqual(before)
    expect((await readdir(join(to, 'figures'))).toSorted()).toEqual(names)
  })

  test('has a library counterpart that returns each image with its chunk', async () => {
    await using corpus = await openCorpus(stored.store)
    const tallies: unknown[] = []
    const found = await collect(corpus.figures({ dpi: 72, limit: 64, onFigures: (tally) => tallies.push(tally) }))
    const inOrder = found.toSorted((one, other) => one.page - other.page)
    expect(inOrder.map(({ page, chunk }) => [chunk.document, page, chunk.body])).toEqual([
      ['one.pdf', 1, 'Figure 1: The weir in flood'],
      ['two.pdf', 2, 'Figure 1: The weir in flood'],
    ])
    expect(found.every(({ name, chunk }) => chunk.images?.includes(name))).toBe(true)
    expect(decodeRgb(Buffer.from(found[0]?.png ?? [])).at(75, 100)).toEqual([40, 40, 40])
    expect(tallies).toMatchObject([{ images: 2, without: { no_page: 0 } }])
    await expect(collect(corpus.figures({ dpi: 20 }))).rejects.toThrow(
      'dpi takes a whole number from 36 to 600, not 20',
    )
  })
})
