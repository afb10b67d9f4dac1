/** A notification that waits to be taken care of. */
export interface Notice {
  readonly body: string
  /** Acknowledges it: all that it asks for is safely done, and it must not be delivered again. */
  done(): Promise<void>
  /** It cannot be understood. */
  refuse(): Promise<void>
  /** Releases it unhandled: it may be delivered again, here or elsewhere, at once. Without effect after the others. */
  giveBack(): Promise<void>
}

/** Where notifications come from. */
export interface Notices extends AsyncDisposable {
  /** The next ones, as soon as there are some; none when there were none for `waitMs`. */
  next(waitMs: number, signal: AbortSignal): Promise<readonly Notice[]>
}
