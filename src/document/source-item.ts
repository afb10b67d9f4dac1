import type { Failure } from './failure.ts'
import type { SourceKey, Version } from './ids.ts'
import type { LeftOutReason, SkipReason } from './skip.ts'

/** An item of a source, from a listing or a watch. */
export type SourceItem =
  | { readonly kind: 'document'; readonly key: SourceKey; readonly version: Version; readonly bytes: number }
  /** Seen but unusable: no permission, a symlink loop, a name that is not text. Ends failed, never silent. */
  | { readonly kind: 'unusable'; readonly key: SourceKey; readonly failure: Failure }
  /** A file that a rule, its name or its type excludes. Ends skipped, counted by its reason. */
  | { readonly kind: 'skipped'; readonly key: SourceKey; readonly reason: SkipReason }
  /** A folder that is not listed. Its key ends in a slash; its content is unknown. Reported, but not counted. */
  | { readonly kind: 'left_out'; readonly key: SourceKey; readonly reason: LeftOutReason }
