/** Chinese and Japanese are written without spaces. */
const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
const IDEOGRAPHS = new RegExp(IDEOGRAPH, 'gu')
/** Their punctuation, quotes among it. */
const RUN = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u3001-\\u303f\\uff01-\\uff65“”‘’]'

/** Text that ends, or begins, with what is written without a space beside an ideograph. */
export const ENDS_IN_RUN = new RegExp(`${RUN}$`, 'u')
export const BEGINS_WITH_RUN = new RegExp(`^${RUN}`, 'u')

/** Whether any character of a text is Chinese or Japanese. */
export const hasIdeographs = (text: string): boolean => IDEOGRAPH.test(text)

/** The length of a text in letters of Latin print: an ideograph is as wide as two of them. */
export const widthOf = (text: string): number => text.length + (text.match(IDEOGRAPHS)?.length ?? 0)
