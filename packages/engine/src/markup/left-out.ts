/** The sentence for `data.warning` that names what of a document is not in its Markdown; null where nothing is missing. */
export function leftOutWarning(leftOut: readonly string[]): string | null {
  return leftOut.length === 0 ? null : `Left out of the Markdown: ${leftOut.join('; ')}.`
}

/** `3 formulas`, as an item of that sentence; nothing where there are none. */
export function counted(count: number, noun: string): string[] {
  const plural = noun.endsWith('x') ? `${noun}es` : `${noun}s`
  return count === 0 ? [] : [`${count} ${count === 1 ? noun : plural}`]
}
