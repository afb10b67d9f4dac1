/** A notification that waits for processing. */
export interface Notice {
  readonly body: string
  /** Acknowledges it: all of its work is durable, and the queue must not deliver it again. */
  done(): Promise<void>
  /** Rejects a notification that cannot be parsed. */
  refuse(): Promise<void>
  /**
   * Releases it unhandled: the queue may deliver it again at once, here or elsewhere. No effect after the other two.
   */
  release(): Promise<void>
}

/** Producer of notifications. */
export interface Notices extends AsyncDisposable {
  /** Returns the next ones as soon as there are some; an empty list after `waitMs`. */
  next(waitMs: number, signal: AbortSignal): Promise<readonly Notice[]>
}
