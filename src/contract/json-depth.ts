const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING: readonly number[] = [0x5b, 0x7b]
const CLOSING: readonly number[] = [0x5d, 0x7d]

/**
 * Whether JSON is nested deeper than `limit`. Counted over the bytes, without recursion: what is read or written by
 * recursion later would end in an overflow of the stack, after the event loop stood still for it.
 */
export function nestedDeeperThan(limit: number, json: Uint8Array): boolean {
  // So few bytes cannot be nested so deep.
  if (json.length <= 2 * limit) return false
  let depth = 0
  let inText = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] as number
    if (inText) {
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) inText = false
    } else if (byte === QUOTE) inText = true
    else if (OPENING.includes(byte)) {
      depth += 1
      if (depth > limit) return true
    } else if (CLOSING.includes(byte)) depth -= 1
  }
  return false
}
