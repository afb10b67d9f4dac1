/** Chinese and Japanese are written without spaces. */
const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
/** Their punctuation, quotes among it. */
const RUN = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u3001-\\u303f\\uff01-\\uff65“”‘’]'

/** Text that ends, or begins, with what is written without a space beside an ideograph. */
export const ENDS_IN_RUN = new RegExp(`${RUN}$`, 'u')
export const BEGINS_WITH_RUN = new RegExp(`^${RUN}`, 'u')

/** Whether any character of a text is Chinese or Japanese. */
export const hasIdeographs = (text: string): boolean => IDEOGRAPH.test(text)
