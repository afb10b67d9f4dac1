/** Chinese and Japanese use no spaces. */
const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
const IDEOGRAPHS = new RegExp(IDEOGRAPH, 'gu')
/** Includes their punctuation and quotes. */
const RUN = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u3001-\\u303f\\uff01-\\uff65“”‘’]'

/** Match text that joins an ideograph without a space, at its end and at its start. */
export const ENDS_IN_RUN = new RegExp(`${RUN}$`, 'u')
export const BEGINS_WITH_RUN = new RegExp(`^${RUN}`, 'u')

/** True if any character of a text is Chinese or Japanese. */
export const hasIdeographs = (text: string): boolean => IDEOGRAPH.test(text)

/** Returns the width of a text in Latin letters. An ideograph counts as two. */
export const widthOf = (text: string): number => text.length + (text.match(IDEOGRAPHS)?.length ?? 0)
