import { type WebNetwork, SiteUnusable, type SiteItem, walkSite } from '@sluice/fetch'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { zodIssues, MAX_TIMEOUT_MS } from '@sluice/contract'
import { ApiError, badRequest } from '../api-error.ts'
import { scrapeUrl } from '../fetch/fetch-document.ts'
import { insufficientCredits } from '../limits/refusals.ts'
import { clientDisconnected } from './client-disconnected.ts'

export interface MapRouteParts {
  readonly allowPrivateAddresses: boolean
  /** Proxies and certificate authorities. Default: a direct connection. */
  readonly network?: WebNetwork
  readonly maxFileBytes: number
}

/** A call costs one credit, with any result. */
const MAP_CREDITS = 1

const MAX_LINKS = 100_000
const DEFAULT_TIMEOUT_MS = 60_000
const DEPTH = 20

/** Fields of POST /v2/map that clients send. Others (`location`, `ignoreCache`) have no effect. */
const mapSchema = z.object({
  url: z.string(),
  search: z.string().nullish(),
  sitemap: z.enum(['include', 'skip', 'only']).nullish(),
  includeSubdomains: z.boolean().nullish(),
  ignoreQueryParameters: z.boolean().nullish(),
  limit: z.int().min(1).max(MAX_LINKS).nullish(),
  timeout: z.int().min(1).max(MAX_TIMEOUT_MS).nullish(),
})

type MapRequest = z.output<typeof mapSchema>

export interface MapLink {
  readonly url: string
  readonly title?: string
  readonly description?: string
}

/**
 * POST /v2/map: the addresses of a website's pages, from its sitemaps and its links. A timeout returns the partial
 * result.
 */
export function mapRoute({ allowPrivateAddresses, network, maxFileBytes }: MapRouteParts) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const asked = readMapRequest(request.body)
    if (!request.account.credits.covers(MAP_CREDITS)) throw insufficientCredits()
    const { limit, sitemap, search } = asked
    const options = {
      start: scrapeUrl(asked.url),
      listing: sitemap === 'only' ? ('sitemap' as const) : ('links' as const),
      sitemaps: sitemap !== 'skip',
      limit: limit ?? 5_000,
      depth: DEPTH,
      delayMs: 0,
      obeyRobots: true,
      allowPrivateAddresses,
      ...(network === undefined ? {} : { network }),
      maxBytes: maxFileBytes,
      includeSubdomains: asked.includeSubdomains ?? true,
      ignoreQueryParameters: asked.ignoreQueryParameters ?? true,
    }
    const timeout = AbortSignal.timeout(asked.timeout ?? DEFAULT_TIMEOUT_MS)
    const links = await linksOf(walkSite(options, AbortSignal.any([clientDisconnected(reply), timeout])), timeout)
    if (!request.account.credits.spend(MAP_CREDITS)) throw insufficientCredits()
    return { success: true, links: search === null || search === undefined ? links : foremost(links, search) }
  }
}

function readMapRequest(body: unknown): MapRequest {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) throw badRequest('Bad Request')
  const read = mapSchema.safeParse(body)
  if (read.success) return read.data
  const issues = zodIssues(read.error)
  const said = issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
  throw badRequest(
    `Bad Request: ${said}`,
    issues.map(({ path, message }) => ({ code: 'invalid_value', path, message })),
  )
}

async function linksOf(walk: AsyncIterable<SiteItem>, timeout: AbortSignal): Promise<MapLink[]> {
  const links: MapLink[] = []
  try {
    for await (const entry of walk) if (entry.kind === 'page' || entry.kind === 'file') links.push(linkOf(entry))
  } catch (error) {
    if (error instanceof SiteUnusable) {
      throw new ApiError({ status: 502, code: 'MAP_FAILED', message: `Bad Gateway: ${error.message}.`, cause: error })
    }
    if (!timeout.aborted) throw error
    if (links.length === 0)
      throw new ApiError({ status: 408, code: 'MAP_TIMEOUT', message: 'Request Timeout: no page was found in time.' })
  }
  return links
}

function linkOf(entry: Extract<SiteItem, { kind: 'page' | 'file' }>): MapLink {
  const { title = null, description = null } = entry.kind === 'page' ? entry : {}
  return {
    url: entry.url.href,
    ...(title === null ? {} : { title }),
    ...(description === null ? {} : { description }),
  }
}

/** Sorts links with the search terms first. The others keep their order after them. */
function foremost(links: readonly MapLink[], search: string): MapLink[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const hits = ({ url, title = '', description = '' }: MapLink): number => {
    const text = `${url} ${title} ${description}`.toLowerCase()
    return words.filter((word) => text.includes(word)).length
  }
  return links.toSorted((one, other) => hits(other) - hits(one))
}
