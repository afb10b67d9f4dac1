const WHITE = /\s/

/** White space by the definition of regular expressions. */
function isWhite(code: number): boolean {
  if (code < 128) return code === 32 || (code >= 9 && code <= 13)
  return code > 159 && WHITE.test(String.fromCharCode(code))
}

/** End of the last character in a range that is not white space. */
export function solidEnd(text: string, start: number, end: number): number {
  let at = end
  while (at > start && isWhite(text.charCodeAt(at - 1))) at -= 1
  return at
}

/** Threshold of white space that ends a chunk; more of it is in no chunk. */
export const WIDE_GAP = 256

/** End of the white space after an offset; the offset itself if a chunk ends there. */
export function gapEnd(text: string, end: number): number {
  let next = end
  while (next < text.length && isWhite(text.charCodeAt(next))) {
    next += 1
    if (next - end > WIDE_GAP) return end
  }
  return next
}
