/** The caller cancelled a request before its last byte was sent: the service cannot have parsed it. */
export class RequestWithdrawn extends Error {
  override name = 'RequestWithdrawn' as const
}
