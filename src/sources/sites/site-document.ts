import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { Readable } from 'node:stream'
import type { Failure } from '#src/document/failure.ts'
import { MAX_FILE_BYTES } from '@sluice/contract'
import { type Version, version } from '#src/document/ids.ts'
import { answerBody, fileNameOf, inUtf8, readPage, type SiteClient } from '@sluice/fetch'
import type { FetchedDocument, OpenedDocument } from '#src/ports/source.ts'
import { TempFile } from '../temp-file.ts'
import { urlVersion } from '../urls/url-version.ts'
import type { PageCache, PageHeader } from './page-cache.ts'

/** Access to the pages of a site: those that the listing read, and its server. */
export interface SitePages {
  readonly client: SiteClient
  readonly cache: PageCache
}

/** Obtains one page of a website, or one document on it, in a temporary file, text in UTF-8. */
export async function openPage(pages: SitePages, url: URL, signal: AbortSignal): Promise<OpenedDocument | Failure> {
  const saved = await save(pages, url, inUtf8, signal)
  if ('code' in saved) return saved
  const { file, header } = saved
  try {
    return pageOf(file, await versionOf(header, url, file, signal))
  } catch (error) {
    await file[Symbol.asyncDispose]()
    throw error
  }
}

/** Obtains a page as the site sent it, with its type, for the embedded engine. */
export async function fetchPage(pages: SitePages, url: URL, signal: AbortSignal): Promise<FetchedDocument | Failure> {
  const saved = await save(pages, url, (bytes) => bytes, signal)
  if ('code' in saved) return saved
  const { file, header } = saved
  return {
    contentType: header.header('content-type'),
    fileName: fileNameOf(header),
    bytes: file.length,
    read: (again) => file.read(0, file.length, again),
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  }
}

type Decode = (bytes: AsyncIterable<Uint8Array>, answer: PageHeader) => AsyncIterable<Uint8Array>

type Saved = { readonly file: TempFile; readonly header: PageHeader }

/** From the listing if it read the page; else by a request at the pace of the site. */
async function save(
  { client, cache }: SitePages,
  url: URL,
  decode: Decode,
  signal: AbortSignal,
): Promise<Saved | Failure> {
  const kept = await cache.find(url)
  if (kept !== null) return saveBody(kept, Readable.from([kept.body]), decode)
  const got = await client.get(url, (answer) => saveBody(answer, answerBody(answer, MAX_FILE_BYTES), decode), signal)
  switch (got.kind) {
    case 'read':
      return got.value
    case 'redirect':
      return { code: 'vanished', stage: 'read', message: 'the site redirects this page elsewhere' }
    case 'absent':
      return { code: 'vanished', stage: 'read', message: 'the site has no such page' }
    case 'unchanged':
      return { code: 'unreadable', stage: 'read', message: 'the site sent no body (304) to an unconditional request' }
    case 'failed':
    default:
      return {
        code: 'unreadable',
        stage: 'read',
        message: got.reason,
        ...(got.status === null ? {} : { httpStatus: got.status }),
      }
  }
}

async function saveBody(header: PageHeader, body: AsyncIterable<Uint8Array>, decode: Decode): Promise<Saved> {
  const file = await TempFile.open(tmpdir())
  try {
    for await (const chunk of decode(body, header)) await file.append(chunk)
    return { file, header }
  } catch (error) {
    await file[Symbol.asyncDispose]()
    throw error
  }
}

/** Version as in the listing: the digest of a page's content, or the header of a document's server. */
async function versionOf(answer: PageHeader, url: URL, file: TempFile, signal: AbortSignal): Promise<Version> {
  const contentType = answer.header('content-type') ?? ''
  const bytes = (): AsyncIterable<Uint8Array> => file.read(0, file.length, signal)
  if (/^(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType)) {
    return version(`page-${(await readPage(url, bytes(), contentType)).content.fingerprint}`)
  }
  if (!/^text\/(?:plain|markdown|x-markdown)\b/i.test(contentType)) return urlVersion(answer)
  const hash = createHash('sha256')
  for await (const chunk of bytes()) hash.update(chunk)
  return version(`text-${hash.digest('hex').slice(0, 20)}`)
}

function pageOf(file: TempFile, opened: Version): OpenedDocument {
  return {
    kind: 'opened',
    version: opened,
    bytes: file.length,
    read: (signal) => file.read(0, file.length, signal),
    // The listing and the document are the same answer of the site; a later change belongs to the next listing.
    unchanged: async () => true,
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  }
}
