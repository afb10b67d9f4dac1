/** Returns the sentence for `data.warning` that names content missing from the Markdown. Null if none is missing. */
export function leftOutWarning(leftOut: readonly string[]): string | null {
  return leftOut.length === 0 ? null : `Left out of the Markdown: ${leftOut.join('; ')}.`
}

/** Returns `3 formulas`, as an item of that sentence. Empty for a count of zero. */
export function counted(count: number, noun: string): string[] {
  const plural = noun.endsWith('x') ? `${noun}es` : `${noun}s`
  return count === 0 ? [] : [`${count} ${count === 1 ? noun : plural}`]
}
