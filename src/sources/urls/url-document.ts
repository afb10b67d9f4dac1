import { tmpdir } from 'node:os'
import type { Failure } from '#src/document/failure.ts'
import type { Version } from '#src/document/ids.ts'
import { answerBody, inUtf8 } from '@sluice/fetch'
import type { OpenedDocument } from '#src/ports/source.ts'
import { TempFile } from '../temp-file.ts'
import { connectionFailure, type UrlClient } from './url-client.ts'
import { checkUrl } from './check-url.ts'
import { UNVERSIONED, urlVersion } from './url-version.ts'

/** Number of download attempts after a broken connection. */
const DOWNLOADS = 3

/** Downloads a document into a temporary file, which gives its length and allows a second read. */
export async function downloadUrl(
  client: UrlClient,
  url: URL,
  maxBytes: number,
  signal: AbortSignal,
): Promise<OpenedDocument | Failure> {
  for (let tries = 1; ; tries += 1) {
    const answer = await client.ask('GET', url, signal)
    if ('code' in answer) return answer
    const file = await TempFile.open(tmpdir())
    try {
      for await (const chunk of inUtf8(answerBody(answer, maxBytes), answer)) await file.append(chunk)
      return new DownloadedUrl(client, url, urlVersion(answer), file)
    } catch (error) {
      await file[Symbol.asyncDispose]()
      signal.throwIfAborted()
      const failure = connectionFailure(error)
      if (failure.code === 'too_large' || tries === DOWNLOADS) return failure
    }
  }
}

class DownloadedUrl implements OpenedDocument {
  readonly kind = 'opened'
  readonly version: Version
  readonly bytes: number
  readonly #client: UrlClient
  readonly #url: URL
  readonly #file: TempFile

  constructor(client: UrlClient, url: URL, version: Version, file: TempFile) {
    this.#client = client
    this.#url = url
    this.#file = file
    this.version = version
    this.bytes = file.length
  }

  read(signal: AbortSignal): AsyncIterable<Uint8Array> {
    return this.#file.read(0, this.bytes, signal)
  }

  /** Always true if the server sends no version. */
  async unchanged(signal: AbortSignal): Promise<boolean> {
    if (this.version === UNVERSIONED) return true
    const now = await checkUrl(this.#client, this.#url, signal)
    return !('code' in now) && urlVersion(now) === this.version
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file[Symbol.asyncDispose]()
  }
}
