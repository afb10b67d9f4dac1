import { randomBytes } from 'node:crypto'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { guard } from '../guard.ts'
import { PAGE_HEADERS } from '../headers.ts'
import { viewApp } from './view-app.ts'
import type { ViewOptions } from '../view-options.ts'

export interface ViewServerOptions extends ViewOptions {
  /** Default loopback. */
  readonly host?: string
  /** 0 takes a free one. */
  readonly port: number
}

export interface ViewServer extends AsyncDisposable {
  /** With the token of this start. */
  readonly url: string
}

/** Listens on loopback by default; the guard checks each request before the server reads it. */
export async function openViewServer({ host = '127.0.0.1', port, ...options }: ViewServerOptions): Promise<ViewServer> {
  const token = randomBytes(24).toString('base64url')
  const hostname = host.includes(':') ? `[${host}]` : host
  const app = new Hono({ strict: false })
  let bound = port
  app.use(async (c, next) => {
    const verdict = guard(
      {
        host: c.req.header('host'),
        origin: c.req.header('origin'),
        site: c.req.header('sec-fetch-site'),
        token: new URL(c.req.url).pathname.split('/')[1] ?? '',
      },
      { token, port: bound, hostname },
    )
    if (verdict.kind === 'refused') return c.text(`${verdict.reason}\n`, verdict.status, PAGE_HEADERS)
    return next()
  })
  app.route('/', viewApp(options))
  const listening = Promise.withResolvers<number>()
  const server = serve({ fetch: app.fetch, hostname: host, port }, (info) => listening.resolve(info.port))
  server.once('error', listening.reject)
  bound = await listening.promise
  return {
    url: `http://${hostname}:${bound}/${token}/`,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      if ('closeAllConnections' in server) server.closeAllConnections()
      await closed
    },
  }
}
