export interface Token {
  readonly kind: 'word' | 'text' | 'number' | 'sign'
  /** Of a text without its quotes. */
  readonly text: string
  readonly at: number
}

const TOKEN =
  /\s*(?:(?<word>[A-Za-z_]\w*)|(?<number>-?\d+(?:\.\d+)?)|'(?<single>(?:[^']|'')*)'|"(?<double>[^"]*)"|(?<sign><=|>=|!=|<>|==|[=<>(),]))/y

const SAME: Readonly<Record<string, string>> = { '==': '=', '<>': '!=' }

/** `refuse` makes what is thrown where no token begins. */
export function tokensOf(text: string, refuse: (at: number) => Error): readonly Token[] {
  const tokens: Token[] = []
  const end = text.trimEnd().length
  for (let from = 0; from < end;) {
    TOKEN.lastIndex = from
    const found = TOKEN.exec(text)
    if (found === null) throw refuse(from + (/^\s*/.exec(text.slice(from))?.[0].length ?? 0))
    const { word, number, single, double, sign } = found.groups ?? {}
    const at = from + found[0].length - found[0].trimStart().length
    if (word !== undefined) tokens.push({ kind: 'word', text: word, at })
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, at })
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: SAME[sign] ?? sign, at })
    else tokens.push({ kind: 'text', text: single?.replaceAll("''", "'") ?? double ?? '', at })
    from = TOKEN.lastIndex
  }
  return tokens
}
