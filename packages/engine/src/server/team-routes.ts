import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Account } from '../limits/account.ts'
import type { ConcurrencyGate } from '../limits/concurrency-gate.ts'

/** What a key without a limit of credits gets: clients read a number there. */
const UNLIMITED_CREDITS = Number.MAX_SAFE_INTEGER

const creditsOf = ({ credits }: Account, of: 'left' | 'granted'): number => Math.min(credits[of], UNLIMITED_CREDITS)

/** GET /v2/team/queue-status and /v2/team/credit-usage, in the shape of the hosted service: what a key may do, and has left. */
export function addTeamRoutes(app: FastifyInstance, children: ConcurrencyGate): void {
  app.get('/v2/team/queue-status', ({ account }: FastifyRequest) => {
    const { limit, inside, waiting } = account.places
    return {
      success: true,
      jobsInQueue: inside + waiting,
      activeJobsInQueue: inside,
      waitingJobsInQueue: waiting,
      // More than the engine has converters for would only wait.
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
