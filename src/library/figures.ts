import { openFigures } from '#workers/open/open-figures.ts'
import type { ChunkLine } from '#src/corpus/export/chunk-line.ts'
import { emptyFigureTally, type Figure, type FigureTally } from '#src/corpus/figures/figure.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { SetupError } from '#src/document/setup-error.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { chunkLines, type DivisionOptions } from './chunk-lines.ts'
import { settingsOf, type SettingValues } from './run.ts'

export interface FigureDrawing {
  /** Pixels per inch of the page, 36 to 600; default: 150. */
  readonly dpi?: number
  /** Called after the last figure with the number of drawn figures, and of omitted ones by reason. */
  readonly onFigures?: (tally: FigureTally) => void
}

export interface CorpusFigure extends Pick<Figure, 'page' | 'bbox'> {
  /** Name in `sluice export --figures`: `figures/<chunk id>.png`. */
  readonly name: string
  readonly png: Uint8Array
  /** Chunk of the figure: its caption, or the text before it. */
  readonly chunk: ChunkLine
}

/** Streams the figures of these documents, in the order of each document. */
export async function* figuresOf(
  store: OutputStore,
  records: AsyncIterable<DocumentRecord>,
  options: DivisionOptions & FigureDrawing,
  values: SettingValues,
): AsyncGenerator<CorpusFigure> {
  const { dpi = 150, onFigures } = options
  if (!Number.isInteger(dpi) || dpi < 36 || dpi > 600) {
    throw new SetupError(`dpi takes a whole number from 36 to 600, not ${dpi}`)
  }
  await using resources = new AsyncDisposableStack()
  const images = await openFigures(store, await settingsOf(values), resources, dpi)
  const ended = new AbortController()
  resources.defer(() => ended.abort(new Error('the iteration over the figures has ended')))
  const drawn = new Map<string, Omit<CorpusFigure, 'chunk'>>()
  const tally = emptyFigureTally()
  const save = async (name: string, png: Uint8Array, { figure: { page, bbox } }: { readonly figure: Figure }) => {
    drawn.set(name, { name, png, page, bbox })
  }
  const sink = { images: { ...images, parallel: 1 }, save, tally, signal: ended.signal }
  for await (const chunk of chunkLines(store, records, options, sink)) {
    for (const name of chunk.images ?? []) {
      const figure = drawn.get(name)
      drawn.delete(name)
      if (figure !== undefined) yield { ...figure, chunk }
    }
  }
  onFigures?.(tally)
}
