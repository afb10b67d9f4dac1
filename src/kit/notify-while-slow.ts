/**
 * Calls `onSlow` with a counter each time that `work` has taken another `afterMs`; resolves with the result of `work`.
 */
export async function notifyWhileSlow<T>(
  work: Promise<T>,
  afterMs: number,
  onSlow: (times: number) => void,
): Promise<T> {
  let times = 0
  const timer = setInterval(() => onSlow((times += 1)), afterMs)
  timer.unref()
  try {
    return await work
  } finally {
    clearInterval(timer)
  }
}
