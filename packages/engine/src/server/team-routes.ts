import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Account } from '../limits/account.ts'
import type { ConcurrencyGate } from '../limits/concurrency-gate.ts'

/** Credits of a key without a limit. Clients expect a number. */
const UNLIMITED_CREDITS = Number.MAX_SAFE_INTEGER

const creditsOf = ({ credits }: Account, of: 'left' | 'granted'): number => Math.min(credits[of], UNLIMITED_CREDITS)

/**
 * GET /v2/team/queue-status and /v2/team/credit-usage, in the shape of the hosted service: a key's limits and remaining
 * credits.
 */
export function addTeamRoutes(app: FastifyInstance, children: ConcurrencyGate): void {
  app.get('/v2/team/queue-status', ({ account }: FastifyRequest) => {
    const { limit, inUse, waiting } = account.places
    return {
      success: true,
      jobsInQueue: inUse + waiting,
      activeJobsInQueue: inUse,
      waitingJobsInQueue: waiting,
      // Concurrency above the number of converters would only queue.
      maxConcurrency: Math.min(limit, children.limit),
      mostRecentSuccess: account.lastSuccess,
    }
  })
  app.get('/v2/team/credit-usage', ({ account }: FastifyRequest) => ({
    success: true,
    data: {
      remainingCredits: creditsOf(account, 'left'),
      planCredits: creditsOf(account, 'granted'),
      billingPeriodStart: null,
      billingPeriodEnd: null,
    },
  }))
}
