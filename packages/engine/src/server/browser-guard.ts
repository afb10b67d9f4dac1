import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../api-error.ts'

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|::1)$/

export const isLoopback = (host: string): boolean => LOOPBACK.test(host)

/** Returns the host without its port and brackets. */
const nameOf = (host: string): string =>
  host
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase()

/** True for a name that no attacker can redirect here: an IP address, or a name that never leaves the machine. */
const isOwnName = (name: string): boolean => isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost')

/**
 * Rejects a browser's requests for a page of another origin, before the server reads any part of the body. Such a page
 * could post documents blind. `ownHostOnly` also rejects names in `Host` that foreign DNS points here (rebinding).
 */
export function addBrowserGuard(app: FastifyInstance, ownHostOnly: boolean): void {
  app.addHook('onRequest', async ({ headers }) => {
    const { host = '', origin } = headers
    if (ownHostOnly && !isOwnName(nameOf(host))) {
      const message = 'Misdirected Request: the engine listens on loopback and answers to its addresses and localhost.'
      throw new ApiError({ status: 421, code: 'FORBIDDEN', message })
    }
    const isForeign = origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`
    if (isForeign || headers['sec-fetch-site'] === 'cross-site') {
      const message = 'Forbidden: requests of web pages are refused.'
      throw new ApiError({ status: 403, code: 'FORBIDDEN', message })
    }
  })
}
