/** Right-to-left scripts, scripts that join or stack their letters, and scripts with invisible breaks between words. */
const SCRIPTS =
  'Hebrew Arabic Syriac Thaana Nko Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Thai Lao Khmer Myanmar Tibetan'
    .split(' ')
    .map((script) => `\\p{Script=${script}}`)

/** Next to these characters, zero-width characters are spelling. */
const SPELLED = `[${SCRIPTS.join('')}\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F]`

const FLAG = '\\u{1F3F4}[\\u{E0020}-\\u{E007F}]*'

/**
 * Characters that reorder a text or have no width, so that it is not what it seems: controls of direction, zero-width
 * characters that no script around them needs, tag characters outside of flags. A soft hyphen is left: texts are full of
 * them.
 */
const CONCEALED = new RegExp(
  [
    '[\\u202A-\\u202E\\u2060-\\u2064\\u2066-\\u206F\\u180E\\uFEFF]',
    `(?<!${SPELLED})[\\u061C\\u200B-\\u200F](?!${SPELLED})`,
    `(?<!${FLAG})[\\u{E0000}-\\u{E007F}]`,
  ].join('|'),
  'gu',
)

/** Replaces characters that reorder a text or have no width. */
export const revealed = (text: string, shown: (codePoint: number) => string): string =>
  text.replaceAll(CONCEALED, (character) => shown(character.codePointAt(0) ?? 0))

/** Shows them by their codes: `[U+202E]`. */
export const withCodes = (text: string): string =>
  revealed(text, (codePoint) => `[U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}]`)
