import type { FastifyReply } from 'fastify'

/** Fires when the sender hung up: the answer would have no reader. */
export function senderGone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => controller.abort())
  return controller.signal
}
