import type { FastifyRequest } from 'fastify'
import { EXTENSIONS_HEADER } from '@sluice/contract'

/** Whether a request asks for what the engine says beyond the contract: the header with any value. */
export function asksForExtensions({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers[EXTENSIONS_HEADER] !== undefined
}
