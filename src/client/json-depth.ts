const QUOTE = 0x22
const BACKSLASH = 0x5c
/** `[` and `{` differ in this bit only, and so do `]` and `}`. */
const CURLY = 0x20
const OPENING = 0x7b
const CLOSING = 0x7d

/**
 * True if JSON is nested deeper than `limit`. Counts over the bytes, without recursion: a recursive parser or
 * serializer would block the event loop and then overflow the stack.
 */
export function nestedDeeperThan(limit: number, json: Uint8Array): boolean {
  // Shortcut: a text this short cannot be nested that deep.
  if (json.length <= 2 * limit) return false
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] as number
    if (byte === QUOTE) at = endOfText(json, at + 1)
    else if ((byte | CURLY) === OPENING) {
      depth += 1
      if (depth > limit) return true
    } else if ((byte | CURLY) === CLOSING) depth -= 1
  }
  return false
}

/** Number of bytes to compare one by one before an indexed search, which costs about the same. */
const SHORT = 40

/**
 * Finds the closing quote of a string: the first one after an even number of backslashes. Strings are most of an
 * answer.
 */
function endOfText(json: Uint8Array, from: number): number {
  let at = from
  for (;;) {
    const until = Math.min(at + SHORT, json.length)
    for (; at < until; at++) {
      const byte = json[at]
      if (byte === QUOTE) return at
      if (byte === BACKSLASH) at += 1
    }
    const quote = at < json.length ? json.indexOf(QUOTE, at) : -1
    if (quote < 0) return json.length
    let before = quote
    while (before > at && json[before - 1] === BACKSLASH) before -= 1
    if ((quote - before) % 2 === 0) return quote
    at = quote + 1
  }
}
