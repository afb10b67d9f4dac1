import type { Failure } from './failure.ts'
import type { SourceKey, Version } from './ids.ts'
import type { LeftOutReason, SkipReason } from './skip.ts'

/** One thing that a source holds, as a listing or a watch reports it. */
export type SourceItem =
  | { readonly kind: 'document'; readonly key: SourceKey; readonly version: Version; readonly bytes: number }
  /** Seen, but cannot be used: no permission, a symlink loop, a name that is no text. Ends failed, never silent. */
  | { readonly kind: 'unusable'; readonly key: SourceKey; readonly failure: Failure }
  /** A file that is no document, by a rule, its name or what it is. Ends skipped, counted by its reason. */
  | { readonly kind: 'skipped'; readonly key: SourceKey; readonly reason: SkipReason }
  /** A folder that is not listed. Its key ends in a slash; what is below it is not known. Reported, and not counted. */
  | { readonly kind: 'left_out'; readonly key: SourceKey; readonly reason: LeftOutReason }
