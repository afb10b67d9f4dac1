import type { WebNetwork } from '@sluice/fetch'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  parseOptionsSchema,
  type ParseOptions,
  type Extension,
  extensionOf as documentExtensionOf,
} from '@sluice/contract'
import { badRequest } from '../api-error.ts'
import { fetchDocument, scrapeUrl, type FetchedDocument } from '../fetch/fetch-document.ts'
import { type TextKind, textKindOf } from '../text/text-kind.ts'
import { asksForExtensions } from './asks-for-extensions.ts'
import { answerDocument } from './answer-document.ts'
import type { AnswerBody } from './answer.ts'
import { scrapeTimeout } from './conversion-outcome.ts'
import { identify } from './identify.ts'
import type { ParseRouteParts } from './parse-route.ts'
import { readOptions } from './read-options.ts'
import { receiveUpload } from './receive-upload.ts'
import { clientDisconnected } from './client-disconnected.ts'

export interface ScrapeRouteParts extends ParseRouteParts {
  readonly allowPrivateAddresses: boolean
  /** Proxies and certificate authorities. Default: a direct connection. */
  readonly network?: WebNetwork
}

interface ScrapeRequest {
  readonly url: URL
  readonly fetched: unknown
  readonly options: ParseOptions
  /** Lists the fields of scrape without effect on a document, so that the server drops none silently. */
  readonly warnings: readonly string[]
}

/** Options for services with a cache. This server has no cache. */
const HONOURED: readonly string[] = ['maxAge']

const isParseOption = (name: string): boolean =>
  Object.hasOwn(parseOptionsSchema.shape, name) || name === 'checkPromptInjection'

/** Contract, "POST /v2/scrape": the route reads `url`, and parses the rest as parse options. */
function readScrapeRequest(body: unknown): ScrapeRequest {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) throw badRequest('Bad Request')
  const { url, fetched, ...rest } = body as Readonly<Record<string, unknown>>
  const known = Object.entries(rest).filter(([name]) => isParseOption(name))
  const ignored = Object.keys(rest).filter((name) => !HONOURED.includes(name) && !isParseOption(name))
  const { options, warnings } = readOptions(Object.fromEntries(known), 'Scrapes')
  const notUsed = ignored.length === 0 ? [] : [`Not used for documents: ${ignored.join(', ')}.`]
  return { url: scrapeUrl(url), fetched, options, warnings: [...notUsed, ...warnings] }
}

/** Returns the extension by content type, unless it is generic. Falls back to the file name, then to the path. */
function extensionOf({ contentType, fileName, url }: FetchedDocument): Extension {
  const saysNothing = /^(application\/(octet-stream|zip|x-download)|text\/plain|binary\/)/i.test(contentType ?? '')
  return identify(
    saysNothing || contentType === null ? (fileName ?? url.pathname) : '',
    contentType ?? '',
    url.pathname,
  )
}

/** True for an HTML page of any status. The route answers a page with an error status too, with that status. */
const isPage = ({ contentType }: FetchedDocument): boolean => /html/i.test(contentType ?? '')

/** Servers send unknown document types as plain text. The file name then decides the type. */
function textOf({ contentType, fileName, url }: FetchedDocument): TextKind | null {
  const kind = textKindOf(contentType, url)
  return kind === 'plain' && documentExtensionOf(fileName ?? url.pathname) !== null ? null : kind
}

const fetchedSchema = z.object({ contentType: z.string().nullable(), fileName: z.string().nullable() })

/** Extension to the contract: a multipart scrape holds the document that the client fetched, and its header. */
function fetchedBefore(url: URL, given: unknown): FetchedDocument {
  const read = fetchedSchema.safeParse(given)
  if (!read.success) throw badRequest("Bad Request: 'fetched' needs contentType and fileName, each a string or null.")
  return { ...read.data, url, statusCode: 200, retryAfter: null }
}

async function scrape(parts: ScrapeRouteParts, request: FastifyRequest, reply: FastifyReply): Promise<AnswerBody> {
  await using folder = parts.workFolder.forRequest()
  const upload = request.isMultipart() ? await receiveUpload(request, folder, parts.maxFileBytes) : null
  const { url: sourceUrl, fetched: given, options, warnings } = readScrapeRequest(upload?.rawOptions ?? request.body)
  const timed = AbortSignal.any([clientDisconnected(reply), AbortSignal.timeout(options.timeout)])
  const { headers, skipTlsVerification } = options
  const { allowPrivateAddresses, network, maxFileBytes: maxBytes } = parts
  const way = network === undefined ? {} : { network }
  const fetchOptions = { headers, skipTlsVerification, allowPrivateAddresses, maxBytes, ...way }
  const fetched =
    upload === null
      ? await fetchDocument(sourceUrl, await folder.makePath(), fetchOptions, timed).catch((error: unknown) => {
          throw timed.aborted ? scrapeTimeout(options.timeout) : error
        })
      : fetchedBefore(sourceUrl, given)
  const { url, statusCode, contentType, retryAfter } = fetched
  // Forwards the page's header with the 200 answer. A client that retries then waits as the site requests.
  if (retryAfter !== null) void reply.header('retry-after', retryAfter)
  const origin = {
    sourceURL: sourceUrl.href,
    url: url.href,
    statusCode,
    ...(statusCode >= 400 ? { error: `The server answered ${statusCode}.` } : {}),
  }
  const textKind = textOf(fetched) ?? (statusCode >= 400 && !isPage(fetched) ? 'plain' : null)
  const extension = textKind === null ? extensionOf(fetched) : 'html'
  const document = { folder, bytes: upload?.bytes ?? null, extension, textKind, contentType, baseUrl: url.href, origin }
  const received = { ...document, extensions: asksForExtensions(request), warnings }
  return await answerDocument(parts, request.account, received, options, timed)
}

/** POST /v2/scrape: fetches one URL and converts its document as parse does. Follows no links. */
export function scrapeRoute(parts: ScrapeRouteParts) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const body = await scrape(parts, request, reply)
    return reply.type('application/json; charset=utf-8').header('content-length', body.bytes).send(body.content)
  }
}
