export interface DetectedLanguage {
  /** ISO 639-1, a member of `LANGUAGES`; null if uncertain. */
  readonly language: string | null
  /** 0 to 1. */
  readonly languageConfidence: number | null
}

export interface DocumentLanguage extends DetectedLanguage {
  /** Script of most of its letters. */
  readonly script: Script | null
}

export interface Languages {
  ofDocument(markdown: string): DocumentLanguage
  /** Language of its document, unless the chunk clearly has another one. */
  ofChunk(body: string, document: DocumentLanguage): DetectedLanguage
}

/** Natural languages that the detector can separate. Sotho is excluded: the detector confuses it with Tswana. */
const LANGUAGES: ReadonlySet<string> = new Set(
  (
    'af am ar az be bg bn bs ca co cs cy da de el en es et eu fa fi fr fy ga gd gl gu ha he hi hr ht hu hy id ig is it ja jv ka kk km kn ko ku ky lb ' +
    'lo lt lv mg mi mk ml mn mr ms mt my ne nl no ny pa pl ps pt ro ru sd si sk sl sm sn so sq sr su sv sw ta te tg th tl tr uk ur uz vi xh yi yo zh zu'
  ).split(' '),
)

/** The detector's own codes for three of them. */
const RENAMED: Readonly<Record<string, string>> = { iw: 'he', fil: 'tl', nb: 'no' }

/** Yoruba shares the other marks of Vietnamese. */
const LETTERS_OF_VIETNAMESE = /[đơưă]/iu

/** Minimum number of letters of prose, in different words, for the language of a document. */
const MIN_LETTERS = 50
/** Minimum number of letters of prose in a chunk that may contradict its document. */
const MIN_LETTERS_OF_CHUNK = 200
/** Confidence thresholds of a guess, and of a chunk against its document. */
const SURE = 0.9
const SURE_AGAINST = 0.98
/** Number of sampled passages, spread over a document, and their length. */
const PASSAGES = 12
const PASSAGE_CHARACTERS = 800
/** Minimum share of the passages in one language. */
const MAJORITY = 0.6

const UNKNOWN = { language: null, languageConfidence: null }

/** Loads the detector (CLD3), which takes a moment. */
export async function openLanguages(): Promise<Languages> {
  const { loadModule } = await import('cld3-asm')
  const detector = (await loadModule()).create(0, 4 * PASSAGE_CHARACTERS)
  const guess = (prose: string, least: number): DetectedLanguage => {
    const { language: code, probability } = detector.findLanguage(prose)
    const language = RENAMED[code] ?? code
    if (probability < least || !LANGUAGES.has(language)) return UNKNOWN
    if (language === 'vi' && !LETTERS_OF_VIETNAMESE.test(prose)) return UNKNOWN
    return { language, languageConfidence: Math.floor(probability * 1000) / 1000 }
  }

  const ofDocument = (markdown: string): DocumentLanguage => {
    const passages = passagesOf(proseOf(markdown))
    const sample = passages.join(' ')
    const script = scriptOf(sample)
    if (lettersIn(sample) < MIN_LETTERS) return { ...UNKNOWN, script }
    const guesses = passages.map((passage) => guess(passage, SURE))
    const [best] = Object.values(Object.groupBy(guesses, ({ language }) => language ?? '')).sort(
      (a, b) => (b?.length ?? 0) - (a?.length ?? 0),
    )
    const language = best?.[0]?.language ?? null
    if (best === undefined || language === null || best.length < MAJORITY * passages.length)
      return { ...UNKNOWN, script }
    const sum = best.reduce((total, { languageConfidence }) => total + (languageConfidence ?? 0), 0)
    return { language, languageConfidence: Math.floor((sum / best.length) * 1000) / 1000, script }
  }

  const ofChunk = (body: string, { script, ...document }: DocumentLanguage): DetectedLanguage => {
    const prose = proseOf(body)
    const scriptOfChunk = scriptOf(prose)
    if (scriptOfChunk === null) return document
    // A chunk in another script never inherits the language of its document, even if it is short: Chinese in English.
    if (scriptOfChunk !== script) return lettersIn(prose) < MIN_LETTERS ? UNKNOWN : guess(prose, SURE_AGAINST)
    if (lettersIn(prose) < MIN_LETTERS_OF_CHUNK) return document
    const whole = guess(prose, SURE_AGAINST)
    const middle = Math.floor(prose.length / 2)
    const halves = [prose.slice(0, middle), prose.slice(middle)]
    const isClear =
      whole.language !== null && halves.every((half) => guess(half, SURE_AGAINST).language === whole.language)
    return isClear ? whole : document
  }
  return { ofDocument, ofChunk }
}

/**
 * Text other than prose. `last`: after the last match of it the pattern cannot match, and each start would search to
 * the end of the text.
 */
const NO_PROSE: readonly { readonly pattern: RegExp; readonly last?: RegExp }[] = [
  { pattern: /^ {0,3}(`{3,}|~{3,})[\s\S]*?(?:^ {0,3}\1|$(?![\s\S]))/gm },
  { pattern: /<!--[\s\S]*?-->/g, last: /-->/g },
  { pattern: /<table\b[\s\S]*?<\/table>/gi, last: /<\/table>/gi },
  { pattern: /<[^>]*>/g, last: />/g },
  { pattern: /^[ \t>]*\|.*$/gm },
  { pattern: /`[^`\n]*`/g },
  // A word with an @ is searched once from its start.
  { pattern: /\]\([^)\s]*\)|(?:https?:|www\.)\S+|(?<!\S)\S+@\S+/g },
]

/** Extracts prose words with single spaces, without code, tables, addresses and marks. Linear time. */
function proseOf(markdown: string): string {
  const words = NO_PROSE.reduce((text, { pattern, last }) => {
    const end = last === undefined ? text.length : endOfLast(last, text)
    return text.slice(0, end).replaceAll(pattern, ' ') + text.slice(end)
  }, markdown)
  return words.replaceAll(/[^\p{L}\p{M}'’]+/gu, ' ').trim()
}

function endOfLast(pattern: RegExp, text: string): number {
  let end = 0
  for (const match of text.matchAll(pattern)) end = match.index + match[0].length
  return end
}

/** Counts letters of different words: a repeated word adds no evidence. */
const lettersIn = (prose: string): number =>
  [...new Set(prose.toLowerCase().split(' '))].join('').match(/\p{L}/gu)?.length ?? 0

function passagesOf(prose: string): readonly string[] {
  const count = Math.min(PASSAGES, Math.ceil(prose.length / PASSAGE_CHARACTERS))
  const stride = prose.length / count
  return Array.from({ length: count }, (_, index) => {
    const start = Math.floor(index * stride)
    return prose.slice(start, start + PASSAGE_CHARACTERS)
  })
}

const SCRIPTS = {
  latin: /\p{Script=Latin}/gu,
  cyrillic: /\p{Script=Cyrillic}/gu,
  eastAsian: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu,
  arabic: /\p{Script=Arabic}/gu,
  other:
    /[^\P{L}\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Arabic}]/gu,
}
type Script = keyof typeof SCRIPTS

/** Null without letters. */
function scriptOf(prose: string): Script | null {
  const [most] = Object.entries(SCRIPTS)
    .map(([name, letters]) => ({ name: name as Script, count: prose.match(letters)?.length ?? 0 }))
    .sort((a, b) => b.count - a.count)
  return most === undefined || most.count === 0 ? null : most.name
}
