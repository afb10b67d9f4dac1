import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { childEnvironment } from '#config/child-environment.ts'
import type { Settings } from '#config/settings.ts'
import type { FigureDocument, FigureImages, NoImage } from '#src/corpus/figures/figure.ts'
import { hashThrough } from '#src/kit/hash-through.ts'
import { sourceKey } from '#src/document/ids.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { belongsTo, type StoreSource } from '#src/document/store-manifest.ts'
import { FigureCropper } from '@sluice/engine/pages'
import type { OutputStore } from '#src/ports/output-store.ts'
import type { Source } from '#src/ports/source.ts'
import { openSource } from './open-source.ts'

/** Resolution that keeps the labels of a chart legible. */
const FIGURE_DPI = 150

/** Renders the figures of a store's documents. It reads the original files from their folders and buckets. */
export async function openFigures(
  store: OutputStore,
  settings: Settings,
  resources: AsyncDisposableStack,
  dpi = FIGURE_DPI,
): Promise<FigureImages> {
  const cropper = resources.use(new FigureCropper({ env: childEnvironment({ web: false }) }))
  const folder = await mkdtemp(join(tmpdir(), 'sluice-figures-'))
  resources.defer(() => rm(folder, { recursive: true, force: true }))
  const originals = new Originals(store, settings, (await store.manifest.read())?.sources ?? [], resources)
  let opened = 0
  return {
    dpi,
    parallel: cropper.parallel,
    async open(record, signal) {
      // The PDF library determines the kind of a file by its name.
      const path = join(folder, `${opened++}.pdf`)
      const problem = await originals.fetch(record, path, signal)
      const remove = (): Promise<void> => rm(path, { force: true })
      if (problem !== null) {
        await remove()
        return { kind: problem }
      }
      const turnsPages = record.parser?.class === 'embedded'
      return {
        kind: 'opened',
        crop: (figures) => cropper.crop({ path, dpi, turnsPages, figures }),
        [Symbol.asyncDispose]: remove,
      } satisfies FigureDocument
    },
  }
}

/** The original documents. A source opens with its first document; websites and lists of URLs receive no request. */
class Originals {
  readonly #store: OutputStore
  readonly #settings: Settings
  readonly #sources: readonly StoreSource[]
  readonly #resources: AsyncDisposableStack
  readonly #opened = new Map<string, Promise<Source>>()

  constructor(
    store: OutputStore,
    settings: Settings,
    sources: readonly StoreSource[],
    resources: AsyncDisposableStack,
  ) {
    this.#store = store
    this.#settings = settings
    this.#sources = sources
    this.#resources = resources
  }

  /** Writes the document to `path`. Returns a reason if the document is unreadable or has changed since its parse. */
  async fetch(record: DocumentRecord, path: string, signal: AbortSignal): Promise<NoImage | null> {
    const owner = this.#sources.find((source) => belongsTo(record, source))
    const address = owner?.address ?? record.source
    if (!/^(?:file|s3):/.test(address)) return 'source_unreadable'
    const prefix = owner === undefined || owner.prefix === '' ? '' : `${owner.prefix}/`
    if (!record.key.startsWith(prefix)) return 'source_unreadable'
    try {
      const source = await this.#source(address)
      const opened = await source.open(sourceKey(record.key.slice(prefix.length)), signal)
      if ('code' in opened) return 'source_unreadable'
      await using document = opened
      if (document.bytes !== record.bytes) return 'source_changed'
      const digest = createHash('sha256')
      await pipeline(hashThrough(document.read(signal), digest), createWriteStream(path), { signal })
      return digest.digest('hex') === record.contentHash ? null : 'source_changed'
    } catch {
      signal.throwIfAborted()
      return 'source_unreadable'
    }
  }

  #source(address: string): Promise<Source> {
    const known = this.#opened.get(address)
    if (known !== undefined) return known
    const around = { storeUrl: this.#store.url, say: () => undefined }
    const settings = { ...this.#settings, archives: true }
    const opening = openSource(address, settings, around, this.#resources).then(({ source }) => source)
    this.#opened.set(address, opening)
    return opening
  }
}
