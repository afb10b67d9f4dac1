import type { FastifyRequest } from 'fastify'
import { EXTENSIONS_HEADER } from '@sluice/contract'

/** True if a request asks for extensions to the contract, with the header at any value. */
export function asksForExtensions({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers[EXTENSIONS_HEADER] !== undefined
}
