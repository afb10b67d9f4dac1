const QUOTE = 0x22
const BACKSLASH = 0x5c
/** `[` and `{` differ in this bit only, and so do `]` and `}`. */
const CURLY = 0x20
const OPENING = 0x7b
const CLOSING = 0x7d

/**
 * Whether JSON is nested deeper than `limit`. Counted over the bytes, without recursion: what is read or written by
 * recursion later would end in an overflow of the stack, after the event loop stood still for it.
 */
export function nestedDeeperThan(limit: number, json: Uint8Array): boolean {
  // So few bytes cannot be nested so deep.
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

/** So many bytes are compared one by one before a search is begun, which costs as much as about that many. */
const SHORT = 40

/** Where the quote is that ends a text: the first one behind an even number of backslashes. Most of an answer is text. */
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
