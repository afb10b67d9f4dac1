import type { Failure } from '#src/document/failure.ts'
import { discard, type UrlAnswer } from '@sluice/fetch'
import type { UrlClient } from './url-client.ts'

/** Status codes of servers that do not support HEAD. */
const NO_HEAD: readonly number[] = [400, 403, 405, 501]

/** Fetches the header of a URL, without its body. */
export async function checkUrl(client: UrlClient, url: URL, signal: AbortSignal): Promise<UrlAnswer | Failure> {
  const head = await client.ask('HEAD', url, signal)
  const answer = isRefusal(head) ? await client.ask('GET', url, signal) : head
  if ('body' in answer) discard(answer)
  return answer
}

const isRefusal = (head: UrlAnswer | Failure): boolean =>
  'httpStatus' in head && head.httpStatus !== undefined && NO_HEAD.includes(head.httpStatus)
