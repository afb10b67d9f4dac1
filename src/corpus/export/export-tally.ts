import type { FigureTally } from '#src/corpus/figures/figure.ts'
import type { SourceKey } from '#src/document/ids.ts'

export interface ExportTally {
  documents: number
  chunks: number
  tokens: number
  oversize: number
  /** Chunks for which `--where` does not hold. */
  chunksLeftOut: number
  /** Documents that are left out: parsed without Markdown; gone from their source; outside of the filter. */
  withoutMarkdown: number
  gone: number
  filtered: number
  damaged: Damage[]
  /** Position in the change feed from which the next export continues; null where the feed cannot be written. */
  cursor: string | null
  /** Why there is no cursor. */
  cursorProblem: string | null
  /** Images of figures; null where none were asked for. */
  figures: FigureTally | null
}

/** Files that are not what their record says, or the folder of a record that cannot be read (`place`, as in the change feed; a field of `export --json`). */
export type Damage =
  | { readonly kind: 'files'; readonly key: SourceKey }
  | { readonly kind: 'record'; readonly place: string }

export const emptyTally = (): ExportTally => ({
  documents: 0,
  chunks: 0,
  tokens: 0,
  oversize: 0,
  chunksLeftOut: 0,
  withoutMarkdown: 0,
  gone: 0,
  filtered: 0,
  damaged: [],
  cursor: null,
  cursorProblem: null,
  figures: null,
})
