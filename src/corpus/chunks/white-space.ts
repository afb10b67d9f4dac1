const WHITE = /\s/

/** White space as regular expressions know it. */
function isWhite(code: number): boolean {
  if (code < 128) return code === 32 || (code >= 9 && code <= 13)
  return code > 159 && WHITE.test(String.fromCharCode(code))
}

/** Behind the last character of a range that is no white space. */
export function solidEnd(text: string, start: number, end: number): number {
  let at = end
  while (at > start && isWhite(text.charCodeAt(at - 1))) at -= 1
  return at
}

/** More white space than this is in no chunk: one ends there. */
export const WIDE_GAP = 256

/** End of the white space behind an offset; the offset itself where a chunk ends there. */
export function gapEnd(text: string, end: number): number {
  let next = end
  while (next < text.length && isWhite(text.charCodeAt(next))) {
    next += 1
    if (next - end > WIDE_GAP) return end
  }
  return next
}
