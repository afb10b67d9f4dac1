import { type Term, termsOf } from './terms.ts'

/** Consecutive terms; the last one may be the start of a term. */
export interface Phrase {
  readonly terms: readonly string[]
  readonly isPrefix: boolean
}

/** An expression of FTS5, made of quoted terms alone. */
export interface Match {
  readonly expression: string
  /** Number of times that each word is in it, and adds its BM25. */
  readonly times: number
}

/** A question in the language of `sluice search`. */
export interface Query {
  /**
   * The last one finds every hit, those before it the best ones in less time. Empty if the question names nothing to
   * search for.
   */
  readonly matches: readonly Match[]
  /** Phrases that a hit may hold, for its snippet. */
  readonly wanted: readonly Phrase[]
  /** Number of words beyond the limit, which are not searched. */
  readonly ignored: number
}

/** Frequencies of terms in an index. */
interface Frequencies {
  /** Number of all chunks. */
  readonly chunks: number
  /** Number of chunks with a term; null for a rare one. */
  readonly of: (term: string) => number | null
}

const NONE: Frequencies = { chunks: 0, of: () => null }

interface Word {
  readonly expression: string
  /** Number of chunks that may hold it; 0 for a rare word. */
  readonly chunks: number
}

/** Ranking of more matches than this takes too long, if fewer have the best hits. */
const MANY = 5_000

/** Maximum number of words and phrases of a question. */
const MAX_PARTS = 64

/** A longer run of a script without spaces is searched by its pairs of characters. */
const MAX_RUN = 4

/** A part of a question: `-title:"two words"`. Quotes may be typographic; a quote without a partner is a space. */
const PART = /(?<not>(?<!\S)-)?(?<title>title:)?(?:"(?<quoted>[^"]*)"|(?<word>[^\s"]+))/giu

/**
 * Parses a question: words, of which a hit holds at least one; `"phrases"` and `title:word`, which it must hold; `-word`,
 * which it must not. Every text is a question: quotes and operators of FTS5 are plain text.
 */
export function parseQuery(text: string, frequencies: Frequencies = NONE): Query {
  const words: Word[] = []
  const [required, excluded]: [string[], string[]] = [[], []]
  const wanted: Phrase[] = []
  const seen = new Set<string>()
  let ignored = 0
  for (const { phrase, kind } of partsOf(text.replaceAll(/[“”„«»]/gu, '"'))) {
    const expression = expressionOf(phrase, kind.title)
    const id = `${kind.group} ${expression}`
    if (seen.has(id)) continue
    if (seen.size >= MAX_PARTS) {
      ignored += 1
      continue
    }
    seen.add(id)
    if (kind.group === 'excluded') excluded.push(expression)
    else {
      wanted.push(phrase)
      if (kind.group === 'required') required.push(expression)
      else words.push({ expression, chunks: Math.min(...phrase.terms.map((term) => frequencies.of(term) ?? 0)) })
    }
  }
  return { matches: matchesOf(words, required, excluded, frequencies.chunks), wanted, ignored }
}

interface Kind {
  readonly group: 'word' | 'required' | 'excluded'
  readonly title: boolean
}

function* partsOf(text: string): Generator<{ readonly phrase: Phrase; readonly kind: Kind }> {
  for (const { groups = {} } of text.matchAll(PART)) {
    const { not, title, quoted, word } = groups
    const terms = [...termsOf(quoted ?? word ?? '')]
    if (terms.length === 0) continue
    const isRequired = quoted !== undefined || title !== undefined
    const group = not === undefined ? (isRequired ? 'required' : 'word') : 'excluded'
    const kind = { group, title: title !== undefined } as const
    const isLongRun = group === 'word' && terms.length > MAX_RUN && terms.at(-1)?.isTail === true
    if (!isLongRun) yield { phrase: phraseOf(terms), kind }
    else for (const term of terms.slice(0, -1)) yield { phrase: { terms: [term.text], isPrefix: false }, kind }
  }
}

/** The last character of a run ends no term of its own in a longer run. */
function phraseOf(terms: readonly Term[]): Phrase {
  const [last, before] = [terms.at(-1), terms.at(-2)]
  const texts = terms.map(({ text }) => text)
  if (last?.isTail !== true) return { terms: texts, isPrefix: false }
  const isInRun = before !== undefined && before.end > last.start
  return isInRun ? { terms: texts.slice(0, -1), isPrefix: false } : { terms: texts, isPrefix: true }
}

/** Terms hold letters, digits and marks alone, so that a quoted one is never syntax. */
const expressionOf = ({ terms, isPrefix }: Phrase, title: boolean): string =>
  `${title ? '{headings} : ' : ''}"${terms.join(' ')}"${isPrefix ? ' *' : ''}`

const any = (expressions: readonly string[]): string => `(${expressions.map((one) => `(${one})`).join(' OR ')})`
const all = (expressions: readonly string[]): string => `(${expressions.map((one) => `(${one})`).join(' AND ')})`

const once = (expression: string): Match => ({ expression, times: 1 })

function matchesOf(
  words: readonly Word[],
  required: readonly string[],
  excluded: readonly string[],
  chunks: number,
): readonly Match[] {
  const without = ({ expression, times }: Match): Match =>
    excluded.length === 0 ? { expression, times } : { expression: `${expression} NOT ${any(excluded)}`, times }
  const [first] = required
  const expressions = words.map(({ expression }) => expression)
  // Words next to required phrases change the rank alone.
  if (first !== undefined) return [without(once(all([...required, any([first, ...expressions])])))]
  if (words.length === 0) return []
  return [...fewerMatches(words, chunks), once(any(expressions))].map(without)
}

/**
 * Common words decide no hit if rarer ones do: matches of the rarest words first, then of one word more. Of common words
 * alone, chunks with all of them first.
 */
function fewerMatches(words: readonly Word[], total: number): readonly Match[] {
  if (words.reduce((sum, { chunks }) => sum + chunks, 0) <= MANY || words.length < 2) return []
  const ordered = words.toSorted((one, other) => one.chunks - other.chunks)
  let [leading, chunks] = [1, ordered[0]?.chunks ?? 0]
  while (chunks + (ordered[leading]?.chunks ?? Infinity) <= MANY) chunks += ordered[leading++]?.chunks ?? 0
  const leads = [leading, leading + 1].filter((count) => count < words.length)
  const every = once(all(words.map(({ expression }) => expression)))
  return [...(chunks > MANY ? [every] : []), ...leads.map((count) => leadOf(ordered, count, total))]
}

/** Chunks with one of the first words, ranked by all words. */
function leadOf(words: readonly Word[], count: number, total: number): Match {
  const leading = words.slice(0, count).map(({ expression }) => expression)
  // BM25 gives a word in half of the chunks no weight, and its list takes the most time.
  const further = words.slice(count).filter(({ chunks }) => chunks < total / 2)
  if (further.length === 0) return once(any(leading))
  const twice = further.flatMap(({ expression }) => [expression, expression])
  return { expression: all([any(leading), any([...leading, ...twice])]), times: 2 }
}
