/** Pages that are no document of the contract, and come back as they are: parse takes none of them, scrape all. */
export type TextKind = 'markdown' | 'plain' | 'json'

const BY_MEDIA_TYPE: readonly (readonly [RegExp, TextKind])[] = [
  [/^text\/(?:x-)?markdown\b/i, 'markdown'],
  [/^application\/(?:[\w.+-]+\+)?json\b/i, 'json'],
  [/^text\/plain\b/i, 'plain'],
]

/** What a fetched text is: by its media type, and Markdown by its name where it was sent as plain text. Null: no text. */
export function textKindOf(contentType: string | null, { pathname }: URL): TextKind | null {
  const kind = BY_MEDIA_TYPE.find(([pattern]) => pattern.test(contentType ?? ''))?.[1] ?? null
  return kind === 'plain' && /\.(?:md|markdown|mdx)$|\/llms(?:-full)?\.txt$/i.test(pathname) ? 'markdown' : kind
}
