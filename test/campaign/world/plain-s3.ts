import { createHash, createHmac } from 'node:crypto'
import { Agent, request as sendRequest } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { IncomingMessage } from 'node:http'
import { once } from 'node:events'

/*
 * A minimal S3 client for checks from outside, which shares no code with Sluice. It signs each request (AWS Signature
 * Version 4) and sends it once, without retries.
 */

export interface S3Access {
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export interface S3Object {
  readonly bytes: Buffer
  /** Without its quotes. */
  readonly etag: string
}

interface S3Request {
  readonly method: 'GET' | 'PUT' | 'DELETE'
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

interface S3Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

const agent = new Agent({ keepAlive: true })

/** One bucket. A method throws when the store refuses a request; `get` returns null for a missing object. */
export class PlainBucket {
  readonly name: string
  readonly #access: S3Access

  constructor(access: S3Access, name: string) {
    this.#access = access
    this.name = name
  }

  async create(): Promise<void> {
    await this.#send({ method: 'PUT' })
  }

  /** Empties it first. */
  async destroy(): Promise<void> {
    const keys = await this.list('')
    for (let at = 0; at < keys.length; at += 16) {
      await Promise.all(keys.slice(at, at + 16).map((key) => this.remove(key)))
    }
    await this.#send({ method: 'DELETE' })
  }

  async list(prefix: string): Promise<readonly string[]> {
    const keys: string[] = []
    let next: Readonly<Record<string, string>> | null = {}
    while (next !== null) {
      const page = await this.#page({ prefix, ...next })
      keys.push(...[...page.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key = '']) => decode(key)))
      const token = /<NextContinuationToken>(.*?)</.exec(page)?.[1]
      next = token === undefined ? null : { 'continuation-token': token }
    }
    return keys
  }

  async get(key: string): Promise<S3Object | null> {
    const { status, headers, body } = await this.#send({ method: 'GET', key })
    return status === 404 ? null : { bytes: body, etag: (headers.etag ?? '').replaceAll('"', '') }
  }

  async put(key: string, body: string): Promise<void> {
    await this.#send({ method: 'PUT', key, body })
  }

  /** `date` goes with the copy as metadata: an object may be copied onto itself only where something changes. */
  async copy(key: string, to: string, date = ''): Promise<void> {
    const headers = {
      'x-amz-copy-source': encode(`/${this.name}/${key}`),
      'x-amz-metadata-directive': 'REPLACE',
      'x-amz-meta-date': date,
    }
    await this.#send({ method: 'PUT', key: to, headers })
  }

  async remove(key: string): Promise<void> {
    await this.#send({ method: 'DELETE', key })
  }

  async #page(query: Readonly<Record<string, string>>): Promise<string> {
    const answer = await this.#send({ method: 'GET', query: { 'list-type': '2', 'encoding-type': 'url', ...query } })
    return answer.body.toString()
  }

  async #send(wanted: S3Request): Promise<S3Answer> {
    const { method, key = '', query = {}, body = '' } = wanted
    const path = encode(`/${this.name}${key === '' ? '' : `/${key}`}`)
    const search = Object.entries(query)
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeAll(value)}`)
      .sort()
      .join('&')
    const headers = this.#signed(method, path, search, { ...wanted.headers, 'x-amz-content-sha256': sha256(body) })
    const request = sendRequest(`${this.#access.endpoint}${path}?${search}`, { method, headers, agent })
    request.end(body)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    const answer = { status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) }
    if (answer.status >= 300 && !(answer.status === 404 && key !== '')) {
      throw new Error(`${method} ${path}: ${answer.status} ${answer.body.toString()}`)
    }
    return answer
  }

  #signed(method: string, path: string, search: string, given: Readonly<Record<string, string>>) {
    const { endpoint, region, accessKeyId, secretAccessKey } = this.#access
    const now = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')
    const day = now.slice(0, 8)
    const headers: Readonly<Record<string, string>> = { ...given, host: new URL(endpoint).host, 'x-amz-date': now }
    const names = Object.keys(headers).sort()
    const lines = names.map((name) => `${name}:${headers[name]}\n`).join('')
    const canonical = [method, path, search, lines, names.join(';'), given['x-amz-content-sha256']].join('\n')
    const scope = `${day}/${region}/s3/aws4_request`
    const signingKey = [day, region, 's3', 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${secretAccessKey}`)
    const signature = hmac(signingKey, ['AWS4-HMAC-SHA256', now, scope, sha256(canonical)].join('\n')).toString('hex')
    const credential = `Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`
    return { ...headers, authorization: `AWS4-HMAC-SHA256 ${credential}` }
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()
const decode = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '))
const encodeAll = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
const encode = (path: string): string => path.split('/').map(encodeAll).join('/')
