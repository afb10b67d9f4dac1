/** A notification that waits to be taken care of. */
export interface Notice {
  readonly body: string
  /** All that it asks for is safely done: it must not come again. */
  done(): Promise<void>
  /** It cannot be understood. */
  refuse(): Promise<void>
  /** Not taken care of: it may come again, here or elsewhere, at once. Without effect after the others. */
  giveBack(): Promise<void>
}

/** Where notifications come from. */
export interface Notices extends AsyncDisposable {
  /** The next ones, as soon as there are some; none when there were none for `waitMs`. */
  next(waitMs: number, signal: AbortSignal): Promise<readonly Notice[]>
}
