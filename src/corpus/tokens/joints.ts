/*
 * Where the patterns of OpenAI's encodings always begin a new word, whatever surrounds it: behind a line break that text
 * follows, and before one space between two words. Tokens never cross a word, so both sides can be counted apart.
 */

const WHITE = /\s/

const isText = (character: string): boolean => character !== '' && !WHITE.test(character)

export function isJointOfCl100k(text: string, at: number): boolean {
  const next = text[at] ?? ''
  if (text[at - 1] === '\n') {
    let first = at
    while (text[first] === ' ' || text[first] === '\t') first += 1
    return isText(text[first] ?? '')
  }
  return next === ' ' && isText(text[at - 1] ?? '') && isText(text[at + 1] ?? '')
}

/** Slashes behind punctuation and line breaks belong to the word before. */
export const isJointOfO200k = (text: string, at: number): boolean => text[at] !== '/' && isJointOfCl100k(text, at)
