import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../api-error.ts'

/** Lets the requests in flight finish while the server refuses new ones. */
export class Drain {
  readonly #emptied = Promise.withResolvers<void>()
  #inFlight = 0
  #isOn = false

  addTo(app: FastifyInstance): void {
    app.addHook('onRequest', async (request, reply) => {
      if (this.#isOn && request.url !== '/healthz') {
        const message = 'Service Unavailable: the engine is shutting down.'
        throw new ApiError({ status: 503, code: 'SERVICE_UNAVAILABLE', message, retryAfterSeconds: 1 })
      }
      this.#inFlight += 1
      // The event also fires if the client disconnected.
      reply.raw.once('close', () => {
        this.#inFlight -= 1
        this.#settle()
      })
    })
    app.addHook('onSend', async (_request, reply) => {
      if (this.#isOn) reply.header('connection', 'close')
    })
    app.get('/healthz', (_request, reply) =>
      this.#isOn ? reply.code(503).send({ status: 'draining' }) : reply.send({ status: 'ok' }),
    )
  }

  /** Resolves when no request is in flight, at the timeout, or when `cut` fires. */
  async start(graceMs: number, cut: AbortSignal): Promise<void> {
    this.#isOn = true
    this.#settle()
    const over = sleep(graceMs, undefined, { signal: cut, ref: false }).catch(() => undefined)
    await Promise.race([this.#emptied.promise, over])
  }

  #settle(): void {
    if (this.#isOn && this.#inFlight === 0) this.#emptied.resolve()
  }
}
