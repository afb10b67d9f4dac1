import type { StoreSource } from '#src/document/store-manifest.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import type { ConsoleSearch } from './console-search.ts'
import type { Render } from './content.ts'
import type { DocumentIndex } from './document-index.ts'
import type { LivePipeline } from './live.ts'

export interface ViewOptions {
  readonly store: OutputStore
  readonly sources: readonly StoreSource[]
  readonly index: DocumentIndex
  readonly search: ConsoleSearch
  /** Draws a PDF page as PNG; null if it cannot be drawn. */
  readonly draw: (request: {
    readonly path: string
    readonly page: number
    readonly dpi: number
  }) => Promise<Uint8Array | null>
  readonly render: Render
  /** Null if the store has no known source. */
  readonly live: LivePipeline | null
  /** True after the first complete read of the store. */
  readonly isIndexed: () => boolean
  /** Version of Sluice. */
  readonly version: string
  readonly allowWrites: boolean
  /** Retries documents with this failure code; null if the source is unknown. */
  readonly retry: ((code: string) => void) | null
  readonly retryCommand: (code: string) => string | null
  /** Called with an error during an answer. */
  readonly onError: (error: unknown) => void
}
