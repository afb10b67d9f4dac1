/** The sentence for `data.warning` that names what of a document is not in its Markdown; null where nothing is missing. */
export function leftOutWarning(leftOut: readonly string[]): string | null {
  return leftOut.length === 0 ? null : `Left out of the Markdown: ${leftOut.join('; ')}.`
}
