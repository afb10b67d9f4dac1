import { sentOptions } from '#src/contract/sent-options.ts'
import type { ParseRequest } from '#src/ports/parser.ts'
import type { RequestBody } from './multipart.ts'

/**
 * The body of `POST /v2/scrape`: the address, and the same options as for parse. `maxAge` asks for the document as it is
 * now: services may answer a scrape from what they kept of another day.
 */
export function scrapeBody(address: string, { options }: Pick<ParseRequest, 'options'>): RequestBody {
  const content = Buffer.from(JSON.stringify({ url: address, ...sentOptions(options), maxAge: 0 }))
  return { content, bytes: content.length, readFailure: () => null }
}
