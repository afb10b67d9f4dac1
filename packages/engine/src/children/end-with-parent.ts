/**
 * For a process that another one started with a channel, and that has nothing to clean up. A signal, since `process.exit`
 * may never return where another thread runs (nodejs/node#54918).
 */
function endAtOnce(): void {
  process.kill(process.pid, 'SIGKILL')
}

/** Ends this process when its parent ends, however it did. */
export function endWithParent(): void {
  process.on('disconnect', endAtOnce)
  // It may have ended before this was called.
  if (!process.connected) endAtOnce()
}

/** A process whose parent is gone ends: an error of the channel would end it by an exception. */
export function sendToParent(message: unknown): void {
  process.send?.(message, (error: Error | null) => {
    if (error !== null) endAtOnce()
  })
}
