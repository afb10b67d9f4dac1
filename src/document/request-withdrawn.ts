/** The caller took a request back before its last byte was sent: the service cannot have parsed it. */
export class RequestWithdrawn extends Error {
  override name = 'RequestWithdrawn' as const
}
