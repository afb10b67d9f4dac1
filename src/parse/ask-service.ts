import { request } from 'undici'
import { dispatcherOf } from './dispatcher.ts'
import type { ServiceNetwork } from './service-network.ts'

export interface ServiceProbe {
  readonly status: number
  /** The `Date` header; null without one. */
  readonly date: string | null
  readonly text: string
}

/** Maximum size of an answer, in bytes. */
const MAX_BYTES = 64 * 1024

/** Sends a GET over the same connection path as parse requests, with the configured proxy and certificates. */
export async function askService(
  address: URL,
  headers: Readonly<Record<string, string>>,
  network: ServiceNetwork,
  signal: AbortSignal,
): Promise<ServiceProbe> {
  const dispatcher = dispatcherOf(1, network)
  try {
    const answer = await request(address, { dispatcher, headers, signal })
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      if ((bytes += chunk.length) > MAX_BYTES) break
    }
    return {
      status: answer.statusCode,
      date: [answer.headers['date']].flat()[0] ?? null,
      text: Buffer.concat(chunks).toString('utf8'),
    }
  } finally {
    await dispatcher.destroy()
  }
}
