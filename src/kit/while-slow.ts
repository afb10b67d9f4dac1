/** Calls `onSlow` each time that `work` has taken another `afterMs`, with how many times that is; resolves to what `work` does. */
export async function whileSlow<T>(work: Promise<T>, afterMs: number, onSlow: (times: number) => void): Promise<T> {
  let times = 0
  const timer = setInterval(() => onSlow((times += 1)), afterMs)
  timer.unref()
  try {
    return await work
  } finally {
    clearInterval(timer)
  }
}
