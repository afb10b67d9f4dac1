const WORD = /\S+/g
const ADDRESS = /:\/\/|www\./i
const ADDRESSES = /:(?=\/\/)|(?<=www)\./gi
const ESCAPED_TAG = /\\<(?=[a-z/!?]|$)/gi

/**
 * Replaces `\<` with `&lt;` after an address. There GFM ("Autolinks") reads the backslash as part of the address, and
 * the following text as a tag. `follows` is true if other text may precede it without a space.
 */
export function withTagsBehindAddresses(escaped: string, follows: boolean): string {
  if (!escaped.includes(String.raw`\<`)) return escaped
  return escaped.replace(WORD, (word, at: number) =>
    (follows && at === 0) || ADDRESS.test(word) ? word.replace(ESCAPED_TAG, '&lt;') : word,
  )
}

/**
 * Escapes the end of a text that a Markdown parser reads as an address. Otherwise the parser would include the
 * following marks.
 */
export function withoutAddressAtEnd(escaped: string): string {
  const word = escaped.slice(
    1 + Math.max(escaped.lastIndexOf(' '), escaped.lastIndexOf('\n'), escaped.lastIndexOf('\t')),
  )
  return ADDRESS.test(word) ? escaped.slice(0, -word.length) + word.replace(ADDRESSES, String.raw`\$&`) : escaped
}
