/** Resolves with the value of `promise`, or null if it rejects or takes longer than `ms`. */
export async function withTimeout<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  const late = Promise.withResolvers<null>()
  const timer = setTimeout(late.resolve, ms, null)
  try {
    return await Promise.race([promise, late.promise])
  } catch {
    return null
  } finally {
    clearTimeout(timer)
  }
}
