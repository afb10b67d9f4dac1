/** A line without its line break. */
export interface Line {
  readonly start: number
  readonly end: number
  /** Its first character that is no space or tab; `end` where there is none. */
  readonly text: number
  readonly isBlank: boolean
}

/** The rest of the line from `from` on; null behind the last one. */
export function lineAt(text: string, from: number): Line | null {
  if (from >= text.length) return null
  const newline = text.indexOf('\n', from)
  const start = text.lastIndexOf('\n', from - 1) + 1
  return make(text, from === 0 ? 0 : start, newline === -1 ? text.length : newline)
}

export function lineAfter(text: string, { end }: Line): Line | null {
  if (end + 1 >= text.length) return null
  const newline = text.indexOf('\n', end + 1)
  return make(text, end + 1, newline === -1 ? text.length : newline)
}

function make(text: string, start: number, end: number): Line {
  let at = start
  while (at < end && isSpace(text.charCodeAt(at))) at += 1
  return { start, end, text: at, isBlank: at === end || text.slice(at, end).trim() === '' }
}

const isSpace = (code: number): boolean => code === 32 || code === 9
