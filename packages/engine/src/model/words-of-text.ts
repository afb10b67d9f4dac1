/** Splits a text into tokens for comparisons: runs of letters and digits, in lower case and compatibility form. */
export function wordsOfText(text: string): string[] {
  return (
    text
      .toLowerCase()
      .normalize('NFKC')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}
