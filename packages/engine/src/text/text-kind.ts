/** Text pages outside the contract's document types. Parse accepts none, and scrape returns them verbatim. */
export type TextKind = 'markdown' | 'plain' | 'json'

const BY_MEDIA_TYPE: readonly (readonly [RegExp, TextKind])[] = [
  [/^text\/(?:x-)?markdown\b/i, 'markdown'],
  [/^application\/(?:[\w.+-]+\+)?json\b/i, 'json'],
  [/^text\/plain\b/i, 'plain'],
]

/**
 * Returns the kind of a fetched text by its media type. Plain text with a Markdown file name is Markdown. Null for any
 * other type.
 */
export function textKindOf(contentType: string | null, { pathname }: URL): TextKind | null {
  const kind = BY_MEDIA_TYPE.find(([pattern]) => pattern.test(contentType ?? ''))?.[1] ?? null
  return kind === 'plain' && /\.(?:md|markdown|mdx)$|\/llms(?:-full)?\.txt$/i.test(pathname) ? 'markdown' : kind
}
