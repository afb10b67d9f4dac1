import { SetupError } from '#src/document/setup-error.ts'
import type { ChunkLine } from './chunk-line.ts'
import { CHUNK_COLUMNS } from './parquet-columns.ts'

export type ChunkTest = (line: ChunkLine) => boolean

type Field = keyof ChunkLine
type Value = string | number | boolean

/**
 * Parses a condition on the columns of a chunk:
 *
 *     or    = and { "or" and }          and = not { "and" not }          not = "not" not | "(" or ")" | term
 *     term  = field                                          a flag that is true
 *           | field ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) value
 *           | field [ "not" ] "in" "(" value { "," value } ")"
 *           | field [ "not" ] "contains" value               a list with that item, a text with that part
 *           | field "is" [ "not" ] "null"
 *
 * A null matches no condition but `is null`.
 *
 * @throws {SetupError} with the position of the syntax error
 */
export function parseWhere(text: string): ChunkTest {
  const parser = new WhereParser(text)
  return parser.whole()
}

const TYPES = new Map(CHUNK_COLUMNS.map(({ name, type }) => [name as string, type]))

/** Columns that are filled only in matching chunks. */
const LATER = new Set(['context', 'images'])
const COMPARISONS: Readonly<Record<string, (one: Value, other: Value) => boolean>> = {
  '=': (one, other) => one === other,
  '!=': (one, other) => one !== other,
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
}

/**
 * Returns the columns that a condition reads.
 *
 * @throws {SetupError} as `parseWhere`
 */
export function columnsOf(text: string): ReadonlySet<string> {
  const parser = new WhereParser(text)
  parser.whole()
  return parser.fields
}

class WhereParser {
  /** Filled during parsing. */
  readonly fields = new Set<Field>()
  readonly #text: string
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.#tokens = tokensOf(text, (at) => this.#refuse('this is not a column, value or operator', at))
  }

  whole(): ChunkTest {
    const test = this.#or()
    if (this.#at < this.#tokens.length) throw this.#refuse('"and" or "or" is missing')
    return test
  }

  #or(): ChunkTest {
    const tests = [this.#and()]
    while (this.#takes('or')) tests.push(this.#and())
    return (line) => tests.some((test) => test(line))
  }

  #and(): ChunkTest {
    const tests = [this.#not()]
    while (this.#takes('and')) tests.push(this.#not())
    return (line) => tests.every((test) => test(line))
  }

  #not(): ChunkTest {
    if (this.#takes('not')) {
      const test = this.#not()
      return (line) => !test(line)
    }
    if (!this.#takes('(')) return this.#term()
    const test = this.#or()
    if (!this.#takes(')')) throw this.#refuse('")" is missing')
    return test
  }

  #term(): ChunkTest {
    const field = this.#field()
    if (this.#takes('is')) return this.#isNull(field)
    const isNegated = this.#takes('not')
    if (this.#takes('in')) return negated(isNegated, field, this.#in(field))
    if (this.#takes('contains')) return negated(isNegated, field, this.#contains(field))
    if (isNegated) throw this.#refuse('"in" or "contains" is missing')
    const compare = COMPARISONS[this.#next()?.text ?? '']
    if (compare !== undefined) {
      this.#at += 1
      const value = this.#value(field)
      return (line) => isPlain(line[field]) && compare(line[field], value)
    }
    if (TYPES.get(field) !== 'flag') throw this.#refuse(`a comparison is missing after ${field}`)
    return (line) => line[field] === true
  }

  #isNull(field: Field): ChunkTest {
    const isNot = this.#takes('not')
    if (!this.#takes('null')) throw this.#refuse('"null" is missing')
    return (line) => (line[field] === null) !== isNot
  }

  #in(field: Field): ChunkTest {
    const values: Value[] = []
    if (!this.#takes('(')) throw this.#refuse('"(" is missing')
    do values.push(this.#value(field))
    while (this.#takes(','))
    if (!this.#takes(')')) throw this.#refuse('")" is missing')
    return (line) => isPlain(line[field]) && values.includes(line[field])
  }

  #contains(field: Field): ChunkTest {
    const value = this.#value(field)
    return (line) => {
      const held: unknown = line[field]
      return Array.isArray(held) ? held.includes(value) : typeof held === 'string' && held.includes(String(value))
    }
  }

  #field(): Field {
    const token = this.#next()
    const type = token?.kind === 'word' ? TYPES.get(token.text) : undefined
    if (LATER.has(token?.text ?? '')) {
      throw this.#refuse(`${token?.text} is known only after --where is applied: filter the exported file by it`)
    }
    if (type === undefined || type === 'json') {
      const names = [...TYPES].flatMap(([name, of]) => (of === 'json' || LATER.has(name) ? [] : [name]))
      throw this.#refuse(`a column is expected: ${names.join(', ')}`)
    }
    this.#at += 1
    const field = token?.text as Field
    this.fields.add(field)
    return field
  }

  #value(field: Field): Value {
    const token = this.#next()
    const type = TYPES.get(field) ?? 'text'
    this.#at += 1
    if ((type === 'text' || type === 'texts') && token?.kind === 'text') return token.text
    if ((type === 'whole' || type === 'wholes' || type === 'number') && token?.kind === 'number')
      return Number(token.text)
    if (type === 'flag' && (token?.text === 'true' || token?.text === 'false')) return token.text === 'true'
    this.#at -= 1
    const wanted = type === 'flag' ? 'true or false' : type.startsWith('text') ? 'a text in single quotes' : 'a number'
    throw this.#refuse(`compare ${field} with ${wanted}`)
  }

  #next(): Token | undefined {
    return this.#tokens[this.#at]
  }

  #takes(text: string): boolean {
    const token = this.#next()
    if (token === undefined || token.kind === 'text' || token.text.toLowerCase() !== text) return false
    this.#at += 1
    return true
  }

  #refuse(message: string, at: number = this.#next()?.at ?? this.#text.length): SetupError {
    return new SetupError(`--where: ${message}\n  ${this.#text}\n  ${' '.repeat(at)}^`)
  }
}

const isPlain = (value: unknown): value is Value =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** A null matches neither a condition nor its negation. */
const negated =
  (isNegated: boolean, field: Field, test: ChunkTest): ChunkTest =>
  (line) =>
    isNegated ? line[field] !== null && !test(line) : test(line)

export interface Token {
  readonly kind: 'word' | 'text' | 'number' | 'sign'
  /** Content of a text without its quotes. */
  readonly text: string
  readonly at: number
}

const TOKEN =
  /\s*(?:(?<word>[A-Za-z_]\w*)|(?<number>-?\d+(?:\.\d+)?)|'(?<single>(?:[^']|'')*)'|"(?<double>[^"]*)"|(?<sign><=|>=|!=|<>|==|[=<>(),]))/y

const SAME: Readonly<Record<string, string>> = { '==': '=', '<>': '!=' }

/** `refuse` builds the error at a position without a token. */
function tokensOf(text: string, refuse: (at: number) => Error): readonly Token[] {
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
