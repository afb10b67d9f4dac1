import type { ChunkLine } from '#src/corpus/export/chunk-line.ts'
import type { ReadDocument } from './read-document.ts'
import type { Figure, FigureDocument, FigureImages, FigureTally } from '../figures/figure.ts'

/** Folder of an export that holds the images. */
export const FIGURES_FOLDER = 'figures'

/** Renderer and consumer of figure images. */
export interface FigureOptions {
  readonly images: FigureImages
  /** Saves an image under its name (`figures/<chunk id>.png`) before the line that names it is written. */
  readonly save: (
    name: string,
    png: Uint8Array,
    of: { readonly figure: Figure; readonly chunk: ChunkLine },
  ) => Promise<void>
  /** Counts of drawn figures. */
  readonly tally: FigureTally
  readonly signal: AbortSignal
}

/** A chunk; `isWanted` is true if `--where` takes it. */
export interface DividedLine {
  readonly line: ChunkLine
  readonly isWanted: boolean
}

/** Number of figures per request: their images are in memory together. */
const AT_ONCE = 16

/** Draws the figures of one document, whose lines are in its order, and adds the names of the images to them. */
export async function withImages(
  lines: readonly DividedLine[],
  { record, figures, unlocatedFigures }: Extract<ReadDocument, { kind: 'read' }>,
  options: FigureOptions,
): Promise<readonly DividedLine[]> {
  const { images, tally, signal } = options
  tally.without.no_page += unlocatedFigures
  const assigned = byChunk(lines, figures)
  const names = new Map<ChunkLine, string[]>()
  if (assigned.length > 0) {
    const opened = await images.open(record, signal)
    if (opened.kind === 'opened') await drawn(opened, assigned, names, options)
    else tally.without[opened.kind] += assigned.length
  }
  return lines.map(({ line, isWanted }) => ({ line: { ...line, images: names.get(line) ?? [] }, isWanted }))
}

async function drawn(
  opened: FigureDocument,
  assigned: readonly AssignedFigure[],
  names: Map<ChunkLine, string[]>,
  { save, tally, signal }: FigureOptions,
): Promise<void> {
  await using document = opened
  for (let from = 0; from < assigned.length; from += AT_ONCE) {
    signal.throwIfAborted()
    const some = assigned.slice(from, from + AT_ONCE)
    const pngs = await document.crop(some.map(({ figure }) => figure))
    signal.throwIfAborted()
    for (const [index, { line, figure }] of some.entries()) {
      const png = pngs[index] ?? null
      if (png === null) {
        tally.without.not_drawn += 1
        continue
      }
      const known = names.get(line) ?? []
      const name = `${FIGURES_FOLDER}/${line.id}${known.length === 0 ? '' : `-${known.length + 1}`}.png`
      await save(name, png, { figure, chunk: line })
      names.set(line, [...known, name])
      tally.images += 1
      tally.bytes += png.length
    }
  }
}

interface AssignedFigure {
  readonly line: ChunkLine
  readonly figure: Figure
}

/**
 * Assigns each figure to the last chunk that starts at its offset or before it; the first chunk also takes earlier
 * figures.
 */
function byChunk(lines: readonly DividedLine[], figures: readonly Figure[]): readonly AssignedFigure[] {
  const assigned: AssignedFigure[] = []
  for (const figure of figures) {
    const found = lines.findLast(({ line }) => line.markdownSpan[0] <= figure.at) ?? lines[0]
    if (found?.isWanted === true) assigned.push({ line: found.line, figure })
  }
  return assigned
}
