import robotsParser from 'robots-parser'
import { webUrl } from '../web-url.ts'
import type { SiteClient } from './site-client.ts'
import { SiteUnusable } from './site-unusable.ts'

/** The type file of the package describes its function as a property of the module, but the module is the function. */
type Parse = (
  url: string,
  text: string,
) => {
  isDisallowed(url: string, agent: string): boolean | undefined
  getCrawlDelay(agent: string): number | undefined
  getSitemaps(): string[]
}
const parseRobots = robotsParser as unknown as Parse

/** User agent token of this program in a site's rules. */
const AGENT = 'sluice'

/** Upper bound of the crawl delay in a site's rules. */
const MAX_DELAY_MS = 30_000

export interface SiteRobots {
  allows(url: URL): boolean
  readonly delayMs: number
  readonly sitemaps: readonly string[]
  /** Rules as written; empty without rules. */
  readonly text: string
}

export const NO_ROBOTS: SiteRobots = { allows: () => true, delayMs: 0, sitemaps: [], text: '' }

/**
 * Fetches the rules of a site (RFC 9309), through redirects to any host; without robots.txt there are none.
 *
 * @throws {SiteUnusable} if the site cannot answer: the RFC forbids all requests then
 */
export async function robotsOf(client: SiteClient, start: URL, signal: AbortSignal): Promise<SiteRobots> {
  const url = new URL('/robots.txt', start)
  const answer = await client.text(url, (to) => to, signal)
  if (answer.kind === 'text') return rulesIn(url, answer.text)
  const cannotAnswer =
    answer.kind === 'failed' && (answer.status === null || answer.status >= 500 || answer.status === 429)
  if (cannotAnswer)
    throw new SiteUnusable(`${url.href}: ${answer.reason}; without its rules no page of the site is requested`)
  return NO_ROBOTS
}

/** Applies the crawl delay of a site's rules to a client that fetches its pages without a walk. */
export async function obeyCrawlDelay(client: SiteClient, start: URL, signal: AbortSignal): Promise<void> {
  client.slowDown((await robotsOf(client, start, signal)).delayMs)
}

function rulesIn(url: URL, text: string): SiteRobots {
  const rules = parseRobots(url.href, text)
  return {
    text,
    allows: (asked) => rules.isDisallowed(asked.href, AGENT) !== true,
    delayMs: Math.min((rules.getCrawlDelay(AGENT) ?? 0) * 1000, MAX_DELAY_MS),
    sitemaps: rules.getSitemaps().flatMap((address) => webUrl(address, url)?.href ?? []),
  }
}
