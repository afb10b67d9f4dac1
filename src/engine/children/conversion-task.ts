import type { ParseOptions } from '#src/contract/options.ts'
import type { Extension } from '#src/document/formats.ts'
import type { Conversion, ConversionProblem } from '../conversion.ts'

/** One document for a child process. Bytes travel by file, never over the pipe. */
export interface ConversionTask {
  readonly path: string
  readonly extension: Extension
  /** As the sender declared it, for its `charset`; null when nothing was declared. */
  readonly contentType: string | null
  /** What relative links are resolved against; null for an upload. */
  readonly baseUrl: string | null
  readonly options: ParseOptions
  /** Shared by the children of one engine: data that is unpacked once. */
  readonly cacheFolder: string
  /** Where the child writes the fields of `data`: see `dataFields`. */
  readonly fieldsPath: string
}

/** What comes back over the pipe: small, whatever the size of the document. */
export type ConversionReport =
  | {
      readonly kind: 'converted'
      readonly metadata: Conversion['metadata']
      readonly warnings: readonly string[]
    }
  | { readonly kind: 'refused'; readonly problem: ConversionProblem; readonly message: string }
  /** A bug of a converter. `trace` is for the log. */
  | { readonly kind: 'failed'; readonly trace: string }
