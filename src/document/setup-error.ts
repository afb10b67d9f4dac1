/**
 * A setting, a name on the command line or a part of this machine that cannot be used. Its message is complete: what
 * failed, which setting or path, what to do. The command line prints the message alone, without a stack trace.
 */
export class SetupError extends Error {
  override name = 'SetupError' as const
}
