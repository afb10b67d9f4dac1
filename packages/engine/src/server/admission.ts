import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Account } from '../limits/account.ts'
import type { Accounts } from '../limits/accounts.ts'
import { rateLimitExceeded } from '../limits/refusals.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Account of the request, set before the server reads any part of the body. */
    account: Account
  }
}

/** Routes that only describe the service. They do not count towards the rate limit. */
const FREE_OF_LIMIT = /^\/v2\/(?:team\/|parse\/formats\b)/

/** Checks key and rate limit for every address below /v2, before the server reads any part of the body. */
export function addAdmission(app: FastifyInstance, accounts: Accounts): void {
  app.decorateRequest('account')
  app.addHook('onRequest', async (request: FastifyRequest) => {
    if (!request.url.startsWith('/v2/') || request.method === 'OPTIONS') return
    request.account = accounts.authenticate(request.headers.authorization)
    if (FREE_OF_LIMIT.test(request.url)) return
    // Uses the monotonic clock. After a correction of the wall clock, a window could last an hour.
    const decision = request.account.rate.take(performance.now())
    if (!decision.allowed) throw rateLimitExceeded(decision, Date.now())
  })
}
