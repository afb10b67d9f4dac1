/**
 * Common words of languages in Latin letters: articles, conjunctions, prepositions. OCR with English data reads most of
 * them correctly, but not the letters that English lacks. They are a fifth to a half of the words of any prose.
 */
const COMMON: Readonly<Record<string, string>> = {
  English:
    'the of and to in a is that for it as with was on are by this be at from or an which not have has were been will can its their',
  German:
    'der die das und ist nicht ein eine einer eines den dem des von mit auf im zu zur zum sich auch als wie bei oder wird werden sind nach aus dass',
  French:
    'le la les des une et est que qui dans pour pas sur par au aux avec ce cette sont ont nous vous il elle du leur mais plus comme',
  Spanish:
    'el la los las del y que una por con para como se es su sus al lo este esta son pero entre desde cuando sin sobre tiene hasta',
  Italian:
    'il lo gli della del delle dei che di una per con non sono nel nella alla da dal si come anche questo questa essere stato tra',
  Portuguese:
    'o os da do das dos uma que para com por se no na nos nas ao em mais como mas foi pelo pela seu sua quando muito',
  Dutch:
    'de het een en van op dat is niet met voor zijn te door ook aan bij uit naar maar worden wordt heeft deze dit als om',
  Polish: 'nie na do jest to przez oraz od za po dla jako tym tego ale tak jego jej przy lub ich przed bez nad pod czy',
  Swedish: 'och att det som en av den med har till inte om ett men var sig han kan vid eller efter vi alla detta ska',
  Danish:
    'og at det som en af den med har til ikke om et men var sig han kan ved eller efter vi alle dette skal er der fra',
}

/** Threshold: number of words in a sample. */
const MIN_WORDS = 60
/** Threshold: fraction of common words of the language in a text. */
const MIN_SHARE = 0.16
/** Threshold: ratio to the fraction of English words. A quotation does not make a page German. */
const RATHER = 2.5

/** English names of the languages that detection by common words supports. */
export const DETECTED_LANGUAGES: ReadonlySet<string> = new Set(Object.keys(COMMON))

const SETS = Object.entries(COMMON).map(([name, words]) => ({ name, words: new Set(words.split(' ')) }))

/** Number of words in a passage. A page in two languages has passages in each. */
const PASSAGE_WORDS = 80

/** Returns the English names of the languages of a text's passages, that of the complete text first. */
export function writtenLanguages(text: string, least = MIN_WORDS): string[] {
  const words = wordsOf(text)
  const passages = Array.from({ length: Math.ceil(words.length / PASSAGE_WORDS) }, (_, index) =>
    words.slice(index * PASSAGE_WORDS, (index + 1) * PASSAGE_WORDS),
  )
  return [...new Set([words, ...passages].flatMap((some) => languageOf(some, least) ?? []))]
}

/**
 * Threshold: number of words if the settings name the languages. Fewer suffice to separate them, and to detect a page
 * in none of them.
 */
export const MIN_WORDS_OF_OTHER = 30
const FEW_WORDS = 12
const SHORT_PASSAGE_WORDS = 30

/** Returns the subset of these languages, by English name, in short passages of a text. */
export function writtenAmong(text: string, names: readonly string[]): string[] {
  const words = wordsOf(text)
  const sets = SETS.filter(({ name }) => name === 'English' || names.includes(name))
  const passages = Array.from({ length: Math.ceil(words.length / SHORT_PASSAGE_WORDS) }, (_, index) =>
    words.slice(index * SHORT_PASSAGE_WORDS, (index + 1) * SHORT_PASSAGE_WORDS),
  )
  const found = passages.flatMap((some) => languageOf(some, FEW_WORDS, sets) ?? [])
  return [...new Set(found)].filter((name) => names.includes(name))
}

/** Returns the English name of the language of a text in Latin letters. Null if the common words are inconclusive. */
export const writtenLanguage = (text: string): string | null => languageOf(wordsOf(text))

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/\p{L}+/gu) ?? []

function languageOf(words: readonly string[], least = MIN_WORDS, sets = SETS): string | null {
  if (words.length < least) return null
  const shares = sets
    .map((set) => ({
      name: set.name,
      share: words.filter((word) => set.words.has(word)).length / words.length,
    }))
    .sort((a, b) => b.share - a.share)
  const [best] = shares
  if (best === undefined || best.share < MIN_SHARE) return null
  const english = shares.find(({ name }) => name === 'English')?.share ?? 0
  return best.name === 'English' || best.share >= RATHER * english ? best.name : null
}
