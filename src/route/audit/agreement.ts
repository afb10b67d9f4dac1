/** Agreement of two answers for one page, each component 0 to 1; null if neither has the component. */
export interface PageAgreement {
  /** F1 of the words, in any order. */
  readonly text: number
  /** Words of both in the same order: twice the longest common subsequence, divided by the number of words in both. */
  readonly order: number
  /** F1 of the headings. */
  readonly headings: number | null
  /** F1 of the numbers. */
  readonly numbers: number | null
}

/** Maximum number of words to compare in order: the time grows with the square. */
const MAX_ORDERED = 3_000

/** Compares the Markdown of two answers for one page. Agreement does not show which of the two is right. */
export function agreementOf(one: string, other: string): PageAgreement {
  const [words, others] = [wordsOf(one), wordsOf(other)]
  return {
    text: bagF1(words, others) ?? 1,
    order: orderOf(words.slice(0, MAX_ORDERED), others.slice(0, MAX_ORDERED)),
    headings: bagF1(headingsOf(one), headingsOf(other)),
    numbers: bagF1(numbersOf(words), numbersOf(others)),
  }
}

/** Tokenizes into letters and digits in lower case; ignores Markdown syntax, links and hyphens at line ends. */
function wordsOf(markdown: string): string[] {
  const plain = markdown
    .replace(/<!--[\s\S]*?-->/g, ' ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/(\p{L})-\n\s*(?=\p{Ll})/gu, '$1')
    .normalize('NFKC')
  return (plain.match(/[\p{L}\p{M}\p{N}]+(?:[.,'’][\p{L}\p{N}]+)*/gu) ?? []).map((word) => word.toLowerCase())
}

const headingsOf = (markdown: string): string[] =>
  [...markdown.matchAll(/^#{1,6}\s+(.+)$/gm)].map(([, text = '']) => wordsOf(text).join(' ')).filter(Boolean)

const numbersOf = (words: readonly string[]): string[] =>
  words.filter((word) => /^\p{N}[\p{N}.,]*$/u.test(word)).map((word) => word.replaceAll(',', '.'))

function bagF1(some: readonly string[], others: readonly string[]): number | null {
  if (some.length + others.length === 0) return null
  const left = new Map<string, number>()
  for (const item of some) left.set(item, (left.get(item) ?? 0) + 1)
  let common = 0
  for (const item of others) {
    const count = left.get(item) ?? 0
    if (count === 0) continue
    common += 1
    left.set(item, count - 1)
  }
  return (2 * common) / (some.length + others.length)
}

function orderOf(some: readonly string[], others: readonly string[]): number {
  if (some.length + others.length === 0) return 1
  let before = new Uint16Array(others.length + 1)
  for (const word of some) {
    const row = new Uint16Array(others.length + 1)
    for (const [at, other] of others.entries()) {
      row[at + 1] = word === other ? (before[at] ?? 0) + 1 : Math.max(before[at + 1] ?? 0, row[at] ?? 0)
    }
    before = row
  }
  return (2 * (before[others.length] ?? 0)) / (some.length + others.length)
}
