/**
 * Stops in order, with a deadline: work in progress may finish within `graceMs`; the rest is cut off then. A second
 * call may shorten the time. A component without a deadline is an `AsyncDisposable` or a `Disposable` instead.
 */
export interface Stoppable {
  stop(options: { readonly graceMs: number }): Promise<void>
}
