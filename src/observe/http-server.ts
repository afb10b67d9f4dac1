import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from 'prom-client'
import { type Reading, readingsText } from './reading.ts'

export interface ObserveServerOptions {
  /** Default loopback: a client can read counts and credits, never a key or a text. */
  readonly host?: string
  /** 0 takes a free one. */
  readonly port: number
  readonly registry: Pick<Registry, 'metrics' | 'contentType'>
  /** Collected at each scrape, in addition to the registry. */
  readonly readings: () => Promise<readonly Reading[]>
  /** Reason why this process cannot work at the moment, or null: the body of /readyz. */
  readonly notReady: () => Promise<string | null>
}

export interface ObserveServer extends AsyncDisposable {
  readonly url: string
}

/** Serves GET /metrics, /healthz (the process responds) and /readyz (it can work). */
export async function openObserveServer({
  host = '127.0.0.1',
  port,
  registry,
  readings,
  notReady,
}: ObserveServerOptions): Promise<ObserveServer> {
  const answer = async (path: string): Promise<readonly [status: number, type: string, body: string]> => {
    if (path === '/metrics') {
      return [200, registry.contentType, `${await registry.metrics()}\n${readingsText(await readings())}`]
    }
    if (path === '/healthz') return [200, 'text/plain', 'ok\n']
    if (path !== '/readyz') return [404, 'text/plain', 'not found: use /metrics, /healthz or /readyz\n']
    const reason = await notReady()
    return [reason === null ? 200 : 503, 'text/plain', `${reason ?? 'ready'}\n`]
  }
  const server = createServer((request, response) => {
    answer(new URL(request.url ?? '/', 'http://localhost').pathname).then(
      ([status, type, body]) => response.writeHead(status, { 'content-type': type }).end(body),
      (error: unknown) => response.writeHead(500).end(`${error instanceof Error ? error.message : 'failed'}\n`),
    )
  })
  const listening = Promise.withResolvers<void>()
  server.once('error', listening.reject).listen(port, host, listening.resolve)
  await listening.promise
  server.unref()
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      server.closeAllConnections()
      await closed.promise
    },
  }
}
