/**
 * Ends in order, with a deadline: what is begun may end within `graceMs`, what is not is cut off then. May be called
 * again with less time. What needs no deadline is an `AsyncDisposable`, or a `Disposable`, and has no other way to end.
 */
export interface Stoppable {
  stop(options: { readonly graceMs: number }): Promise<void>
}
