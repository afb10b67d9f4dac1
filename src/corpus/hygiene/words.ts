const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}\p{M}]+/gu

/** Words in lower case without punctuation; in scripts that write without spaces each character is one. */
export const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(WORD) ?? []
