import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Account } from '../limits/account.ts'
import type { Accounts } from '../limits/accounts.ts'
import { rateLimitExceeded } from '../limits/refusals.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose request it is; set before any part of the body is read. */
    account: Account
  }
}

/** What only describes the service uses up none of the requests for documents. */
const FREE_OF_LIMIT = /^\/v2\/(?:team\/|parse\/formats\b)/

/** Key and rate limit, for every address below /v2, before any part of the body is read. */
export function addAdmission(app: FastifyInstance, accounts: Accounts): void {
  app.decorateRequest('account')
  app.addHook('onRequest', async (request: FastifyRequest) => {
    if (!request.url.startsWith('/v2/') || request.method === 'OPTIONS') return
    request.account = accounts.authenticate(request.headers.authorization)
    if (FREE_OF_LIMIT.test(request.url)) return
    // The monotonic clock: a window must not last an hour because the wall clock was set back.
    const decision = request.account.rate.take(performance.now())
    if (!decision.allowed) throw rateLimitExceeded(decision, Date.now())
  })
}
