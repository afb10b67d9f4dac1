/**
 * A setting, a name on the command line or a part of this machine is unusable. Its message is complete: the failure,
 * the setting or path, the remedy. The command line prints the message alone, without a stack trace.
 */
export class SetupError extends Error {
  override name = 'SetupError' as const
}
