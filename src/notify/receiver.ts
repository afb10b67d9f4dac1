import { type Dispatcher, request } from 'undici'
import { type CloudEvent, signatureHeaders } from './cloud-event.ts'

/** A timeout of a receiver that hangs, in milliseconds. */
const TIMEOUT_MS = 10_000

export interface ReceiverOptions {
  /** It may hold a login, which becomes a header and is in no error. */
  readonly url: string
  /** Undefined for notices without a signature. */
  readonly secret: string | undefined
  readonly dispatcher: Dispatcher
}

/** The receiver did not take a notice: an error, a redirect or no answer in time. */
class NoticeRefused extends Error {
  override name = 'NoticeRefused' as const
}

/** HTTP receiver of notices: one request each, in the structured mode of CloudEvents. It follows no redirect. */
export class NoticeReceiver implements AsyncDisposable {
  /** Origin of its address, for messages. */
  readonly origin: string
  readonly #address: string
  readonly #login: Readonly<Record<string, string>>
  readonly #secret: string | undefined
  readonly #dispatcher: Dispatcher

  constructor({ url, secret, dispatcher }: ReceiverOptions) {
    const address = new URL(url)
    const login = `${decodeURIComponent(address.username)}:${decodeURIComponent(address.password)}`
    this.#login = login === ':' ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` }
    address.username = ''
    address.password = ''
    this.#address = address.href
    this.origin = address.origin
    this.#secret = secret
    this.#dispatcher = dispatcher
  }

  /** Resolves when the receiver took the notice (2xx). Throws `NoticeRefused` otherwise. */
  async send(event: CloudEvent): Promise<void> {
    const body = JSON.stringify(event)
    const seconds = Math.floor(Date.now() / 1000)
    const signed = this.#secret === undefined ? {} : signatureHeaders({ id: event.id, body }, this.#secret, seconds)
    const headers = { 'content-type': 'application/cloudevents+json; charset=utf-8', ...this.#login, ...signed }
    const status = await this.#post(headers, body)
    if (status === null) throw new NoticeRefused(`${this.origin} did not answer within ${TIMEOUT_MS / 1000} s`)
    if (status < 200 || status >= 300) throw new NoticeRefused(`${this.origin} answered ${status}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dispatcher.destroy()
  }

  /** Status of the answer; null without one. Its body may be endless, and is not read. */
  async #post(headers: Record<string, string>, body: string): Promise<number | null> {
    const options = {
      method: 'POST',
      headers,
      body,
      dispatcher: this.#dispatcher,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    } as const
    try {
      const answer = await request(this.#address, options)
      answer.body.on('error', () => undefined).destroy()
      return answer.statusCode
    } catch {
      return null
    }
  }
}
