const WORD = /\S+/g
const ADDRESS = /:\/\/|www\./i
const ADDRESSES = /:(?=\/\/)|(?<=www)\./gi
const ESCAPED_TAG = /\\<(?=[a-z/!?]|$)/gi

/**
 * Escaped text with `&lt;` in place of `\<` where Markdown (GFM, "Autolinks") takes the backslash for a part of an address, and
 * what stands after it for a tag. `follows`: other text may stand before it, without a space.
 */
export function withTagsBehindAddresses(escaped: string, follows: boolean): string {
  if (!escaped.includes(String.raw`\<`)) return escaped
  return escaped.replace(WORD, (word, at: number) =>
    (follows && at === 0) || ADDRESS.test(word) ? word.replace(ESCAPED_TAG, '&lt;') : word,
  )
}

/** Escaped text that ends in no address to a reader of Markdown, which would take the marks of what follows for a part of it. */
export function withoutAddressAtEnd(escaped: string): string {
  const word = escaped.slice(
    1 + Math.max(escaped.lastIndexOf(' '), escaped.lastIndexOf('\n'), escaped.lastIndexOf('\t')),
  )
  return ADDRESS.test(word) ? escaped.slice(0, -word.length) + word.replace(ADDRESSES, String.raw`\$&`) : escaped
}
