import type { FastifyReply } from 'fastify'

/** Fires when the client disconnects, because the answer would have no reader. */
export function clientDisconnected(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => controller.abort())
  return controller.signal
}
