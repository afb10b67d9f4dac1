/**
 * Kills a process that has a channel to its parent and needs no cleanup. Uses a signal, because `process.exit` may
 * never return while another thread runs (nodejs/node#54918).
 */
function killSelf(): void {
  process.kill(process.pid, 'SIGKILL')
}

/** Ends this process when its parent ends, for any reason. */
export function exitWithParent(): void {
  process.on('disconnect', killSelf)
  // Race: the parent may have ended before this call.
  if (!process.connected) killSelf()
}

/**
 * Sends a message, or ends the process if its parent is gone. An unhandled channel error would end it by an exception.
 */
export function sendToParent(message: unknown): void {
  process.send?.(message, (error: Error | null) => {
    if (error !== null) killSelf()
  })
}
