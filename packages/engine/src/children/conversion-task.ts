import type { ParseOptions, Extension } from '@sluice/contract'
import type { Conversion, ConversionProblem } from '../conversion.ts'
import type { TextKind } from '../text/text-kind.ts'
import type { ModelOptions } from '../model/chat-completion.ts'

/** A document for a child process. PDFs, images and large documents travel by file, all others over the pipe. */
export interface ConversionTask {
  /** The file does not exist if `bytes` are present. */
  readonly path: string
  /** The document itself, up to `PIPE_BYTES`. */
  readonly bytes?: Buffer | null
  readonly extension: Extension
  /** Set for a page of text, whose `extension` has no meaning then. */
  readonly textKind?: TextKind | null
  /** Content type header of the client, for its `charset`. Null if absent. */
  readonly contentType: string | null
  /** Base of relative links. Null for an upload. */
  readonly baseUrl: string | null
  readonly options: ParseOptions
  /** For the formats that a language model writes. Null if none is configured. */
  readonly model: ModelOptions | null
  /** Passwords to try on encrypted PDF and Office files. Never in a log, an answer or an error. */
  readonly passwords: readonly string[]
  /** Reads hidden sheets of workbooks too. Default: false. */
  readonly hiddenSheets?: boolean
  /** Cache folder that the children of one engine share, for data to unpack once. */
  readonly cacheFolder: string
  /**
   * Languages of scans: the cache folder of fetched data, and the allowed codes, null for any. Default: the installed
   * ones.
   */
  readonly ocr?: { readonly fetched: string | null; readonly allowed: readonly string[] | null }
  /** True if the answer gets the `sluice` field in addition to the contract's fields (`EXTENSIONS_HEADER`). */
  readonly extensions: boolean
  /** File for the fields of `data` (see `dataFields`) that are too long for the pipe. Its folder may not exist. */
  readonly fieldsPath: string
}

/** Maximum size of a document or answer on the pipe between server and child, in bytes. */
export const PIPE_BYTES = 1024 ** 2

/** Result over the pipe, small for a document of any size. */
export type ConversionReport =
  | {
      readonly kind: 'converted'
      /** The fields of `data` as JSON members. Null if they are in the file at `fieldsPath`. */
      readonly fields: Buffer | null
      readonly metadata: Conversion['metadata']
      readonly warnings: readonly string[]
      /** Codes of OCR languages whose data was missing and can be fetched. */
      readonly lackingLanguages: readonly string[]
    }
  /** The model was unavailable, or could not fulfil the request. The document is fine. */
  | {
      readonly kind: 'model-failed'
      readonly reason: 'unavailable' | 'no-conforming-result'
      readonly message: string
    }
  | { readonly kind: 'refused'; readonly problem: ConversionProblem; readonly message: string }
  /** A bug of a converter. `trace` is for the log. */
  | { readonly kind: 'failed'; readonly trace: string }

/** Message of a child process to the server. */
export type ChildMessage =
  | { readonly kind: 'ready' }
  /** A converter cannot be loaded. The message names the package. */
  | { readonly kind: 'unloadable'; readonly message: string }
  | { readonly kind: 'report'; readonly report: ConversionReport }
