import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import type { Failure } from '#src/document/failure.ts'
import { MAX_FILE_BYTES } from '@sluice/contract'
import { type Version, version } from '#src/document/ids.ts'
import { answerBody, discard, type UrlAnswer, readPage, inUtf8 } from '@sluice/fetch'
import type { OpenedDocument } from '#src/ports/source.ts'
import { TempFile } from '../temp-file.ts'
import { connectionFailure, type UrlClient } from '../urls/url-client.ts'
import { urlVersion } from '../urls/url-version.ts'

/** Downloads one page of a website, or one document on it, into a temporary file. */
export async function openPage(client: UrlClient, url: URL, signal: AbortSignal): Promise<OpenedDocument | Failure> {
  const answer = await client.ask('GET', url, signal)
  if ('code' in answer) return answer
  if (answer.statusCode >= 300) {
    discard(answer)
    return {
      code: 'vanished',
      stage: 'read',
      message: 'the site redirects this page elsewhere',
      httpStatus: answer.statusCode,
    }
  }
  const file = await TempFile.open(tmpdir())
  try {
    for await (const chunk of inUtf8(answerBody(answer, MAX_FILE_BYTES), answer)) await file.append(chunk)
    return pageOf(client, url, file, await versionOf(answer, url, file, signal))
  } catch (error) {
    await file[Symbol.asyncDispose]()
    signal.throwIfAborted()
    return connectionFailure(error)
  }
}

/** Version as in the listing: the digest of a page's content, or the header of a document's server. */
async function versionOf(answer: UrlAnswer, url: URL, file: TempFile, signal: AbortSignal): Promise<Version> {
  const contentType = answer.header('content-type') ?? ''
  const bytes = (): AsyncIterable<Uint8Array> => file.read(0, file.length, signal)
  if (/^(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType)) {
    return version(`page-${(await readPage(url, bytes())).content.fingerprint}`)
  }
  if (!/^text\/(?:plain|markdown|x-markdown)\b/i.test(contentType)) return urlVersion(answer)
  const hash = createHash('sha256')
  for await (const chunk of bytes()) hash.update(chunk)
  return version(`text-${hash.digest('hex').slice(0, 20)}`)
}

function pageOf(client: UrlClient, url: URL, file: TempFile, opened: Version): OpenedDocument {
  return {
    kind: 'opened',
    version: opened,
    bytes: file.length,
    read: (signal) => file.read(0, file.length, signal),
    async unchanged(signal) {
      const now = await openPage(client, url, signal)
      if ('code' in now) return false
      await now[Symbol.asyncDispose]()
      return now.version === opened
    },
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  }
}
