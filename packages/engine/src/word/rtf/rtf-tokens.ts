/** A token of an RTF file (RTF 1.9.1, "Basic entities"), in the range [start, end). */
export interface RtfToken {
  readonly kind: 'open' | 'close' | 'word' | 'symbol' | 'text'
  readonly start: number
  readonly end: number
  /** Name of a control word, a symbol, or characters of text. */
  readonly value: string
  readonly parameter: number | null
}

const TOKEN = /\\(?:'([\da-f]{2})|([a-z]+)(-?\d+)? ?|([^]))|([{}])|([^\\{}]+)/gi
const CP1252 = new TextDecoder('windows-1252')

/** Yields tokens from an offset on. Skips binary data, and the substitute of a Unicode character. */
export function* rtfTokens(rtf: string, from = 0): Generator<RtfToken> {
  const pattern = new RegExp(TOKEN)
  pattern.lastIndex = from
  let substitutes = 1
  let skipped = 0
  for (let match = pattern.exec(rtf); match !== null; match = pattern.exec(rtf)) {
    const [, hex, word, digits, symbol, brace, characters] = match
    const place = { start: match.index, end: pattern.lastIndex }
    const parameter = digits === undefined ? null : Number(digits)
    if (brace !== undefined) {
      skipped = 0
      yield { ...place, kind: brace === '{' ? 'open' : 'close', value: brace, parameter }
    } else if (word === 'u' && parameter !== null) {
      yield { ...place, kind: 'text', value: String.fromCharCode((parameter + 0x1_0000) % 0x1_0000), parameter: null }
      skipped = substitutes
    } else if (word !== undefined) {
      if (word === 'uc') substitutes = parameter ?? 1
      if (word === 'bin') pattern.lastIndex += Math.max(0, parameter ?? 0)
      yield { ...place, kind: 'word', value: word, parameter }
    } else if (symbol !== undefined && !'{}\\'.includes(symbol)) {
      yield { ...place, kind: 'symbol', value: symbol, parameter }
    } else {
      const text = hex === undefined ? (symbol ?? characters ?? '') : CP1252.decode(Buffer.from(hex, 'hex'))
      const shown = text.replace(/[\r\n]+/g, '')
      yield { ...place, kind: 'text', value: shown.slice(skipped), parameter }
      skipped = Math.max(0, skipped - shown.length)
    }
  }
}
