import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { webUrl } from '@sluice/fetch/urls'
import { publicText } from './public-url.ts'

export type UrlLine =
  /** It may hold a login or a token: see `public-url.ts`. */
  | { readonly kind: 'url'; readonly url: URL }
  /** Not an http or https URL. `shown` holds no secret. */
  | { readonly kind: 'unusable'; readonly shown: string; readonly reason: string }

/** Streams a list of URLs, a line each. Skips empty lines and lines that start with `#`. `-` is standard input. */
export async function* urlLines(path: string, signal: AbortSignal): AsyncGenerator<UrlLine> {
  const input = path === '-' ? process.stdin : createReadStream(path, { signal })
  let number = 0
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY, signal })) {
    number += 1
    const text = line.trim()
    if (text !== '' && !text.startsWith('#')) yield readLine(text, number)
  }
  signal.throwIfAborted()
}

function readLine(text: string, number: number): UrlLine {
  const url = webUrl(text)
  if (url === null) {
    return {
      kind: 'unusable',
      shown: publicText(text),
      reason: `line ${number} of the list is not an http or https URL`,
    }
  }
  url.hash = ''
  return { kind: 'url', url }
}
