import { createWriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { Agent, request, type Dispatcher } from 'undici'
import { ApiError } from '../api-error.ts'
import { publicLookup, refuseWrittenPrivateAddress } from './public-connect.ts'

export interface FetchOptions {
  readonly headers: Readonly<Record<string, string>>
  readonly skipTlsVerification: boolean
  readonly allowPrivateAddresses: boolean
  readonly maxBytes: number
}

/** A page or document that was fetched into a file. */
export interface FetchedDocument {
  /** After redirects. */
  readonly url: URL
  readonly statusCode: number
  readonly contentType: string | null
  /** File name of a `Content-Disposition` header, or null. */
  readonly fileName: string | null
}

const MAX_REDIRECTS = 10
const DECODERS = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress }

const invalidUrl = (): ApiError => new ApiError({ status: 400, code: 'BAD_REQUEST', message: 'Invalid URL' })

export function webUrl(text: unknown, base?: URL): URL {
  const url = typeof text === 'string' ? URL.parse(text, base?.href) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') throw invalidUrl()
  return url
}

function headerOf(response: Dispatcher.ResponseData, name: string): string | null {
  return [response.headers[name]].flat()[0] ?? null
}

/** Counts what comes out of the decompression too: a few bytes on the wire may be gigabytes in the file. */
async function* capped(source: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of source as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) {
      const message = `Payload Too Large: the document is larger than ${Math.floor(maxBytes / 1024 ** 2)}MB.`
      throw new ApiError({ status: 413, code: 'PAYLOAD_TOO_LARGE', message })
    }
    yield chunk
  }
}

async function save(response: Dispatcher.ResponseData, path: string, maxBytes: number): Promise<void> {
  const encoding = headerOf(response, 'content-encoding')?.trim().toLowerCase() ?? ''
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding as keyof typeof DECODERS]() : null
  const body = decoder === null ? response.body : response.body.compose(decoder)
  await pipeline(capped(body as Readable, maxBytes), createWriteStream(path, { flags: 'wx', mode: 0o600 }))
}

function fileNameOf(response: Dispatcher.ResponseData): string | null {
  return /filename\s*=\s*"?([^";]+)/i.exec(headerOf(response, 'content-disposition') ?? '')?.[1] ?? null
}

async function follow(start: URL, path: string, options: FetchOptions, dispatcher: Agent, signal: AbortSignal) {
  let url = start
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    if (!options.allowPrivateAddresses) refuseWrittenPrivateAddress(url)
    // What the sender wants to tell one host is not for another that it redirects to.
    const own = url.origin === start.origin ? options.headers : {}
    const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'sluice', ...own }
    const response = await request(url, { dispatcher, signal, headers })
    const location = headerOf(response, 'location')
    if (response.statusCode < 300 || response.statusCode >= 400 || location === null) {
      await save(response, path, options.maxBytes)
      const contentType = headerOf(response, 'content-type')
      return { url, statusCode: response.statusCode, contentType, fileName: fileNameOf(response) }
    }
    await response.body.dump()
    url = webUrl(location, url)
  }
  throw new ApiError({ status: 502, code: 'SCRAPE_FETCH_FAILED', message: 'Bad Gateway: too many redirects.' })
}

/** Our own errors stay; a private address is forbidden; all else is the fault of the far side. */
function asApiError(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof ApiError || signal.aborted) return error
  const { name, code } = error as { readonly name?: string; readonly code?: string }
  if (name === 'PrivateAddressRefused') {
    return new ApiError({ status: 403, code: 'FORBIDDEN', message: `Forbidden: ${(error as Error).message}.` })
  }
  const message = `Bad Gateway: the URL could not be fetched (${code ?? name ?? 'unknown'}).`
  return new ApiError({ status: 502, code: 'SCRAPE_FETCH_FAILED', message, cause: error })
}

/**
 * Fetches a document into `path`, at most `maxBytes`, following redirects. Addresses of private networks are refused,
 * on the first request and on every redirect, unless they are allowed.
 */
export async function fetchDocument(
  url: URL,
  path: string,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<FetchedDocument> {
  const lookup = options.allowPrivateAddresses ? {} : { lookup: publicLookup }
  const dispatcher = new Agent({ connect: { rejectUnauthorized: !options.skipTlsVerification, ...lookup } })
  try {
    return await follow(url, path, options, dispatcher, signal)
  } catch (error) {
    throw asApiError(error, signal)
  } finally {
    await dispatcher.destroy()
  }
}
