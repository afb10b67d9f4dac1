/** Characters without a boundary that tokenizers take quadratic time for. */
const LONG_RUN = /[\p{L}\p{M}]{1025}|\p{N}{1025}|[^\s\p{L}\p{N}]{1025}|\s{1025}/u

const LONGEST = 1024

/** Whether a text has over 1,024 letters, digits, other signs or white space in a row. */
export function hasLongRun(text: string): boolean {
  return mayHaveLongRun(text) && LONG_RUN.test(text)
}

/** Reads each window of that length from its end back to where a run breaks: of usual text one word. Other characters than ASCII end no run here. */
function mayHaveLongRun(text: string): boolean {
  for (let end = LONGEST; end < text.length;) {
    let kind = 0
    let at = end
    for (; at >= end - LONGEST; at--) {
      const code = text.charCodeAt(at)
      const next = code < 128 ? (KINDS[code] as number) : 0
      if (next !== kind && next !== 0 && kind !== 0) break
      if (next !== 0) kind = next
    }
    if (at < end - LONGEST) return true
    end = at + 1 + LONGEST
  }
  return false
}

/** Of ASCII characters: 1 letter, 2 digit, 3 white space, 4 any other. */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  return /[a-z]/i.test(character) ? 1 : /\d/.test(character) ? 2 : /\s/.test(character) ? 3 : 4
})
