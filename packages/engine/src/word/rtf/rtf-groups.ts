import { PAGE_NUMBER } from '../../markup/plain-paragraphs.ts'
import { rtfTokens } from './rtf-tokens.ts'

/** Maximum length of a group: a header, a comment, a text box. */
const MAX_GROUP = 100_000
/** Destinations whose content is not text of the paragraph, and the fallback of a shape for older readers. */
const HIDDEN = /^\{\\(?:\*\\(?!shpinst|shptxt)|fldinst|pict|fonttbl|colortbl|stylesheet|shprslt|sp(?![a-z]))/
const HIDDEN_CHARACTERS = 24

/** Returns the text from a brace to its closing brace. Returns a prefix if the group is longer than the maximum. */
export function groupAt(rtf: string, start: number): string {
  let depth = 0
  const end = Math.min(rtf.length, start + MAX_GROUP)
  for (let at = start; at < end; at += 1) {
    const character = rtf[at]
    if (character === '\\') at += 1
    else if (character === '{') depth += 1
    else if (character === '}' && (depth -= 1) === 0) return rtf.slice(start, at + 1)
  }
  return rtf.slice(start, end)
}

/** Returns the text of a group, with a line for each paragraph. */
export function groupText(group: string): string {
  let hidden = 0
  let depth = 0
  let text = ''
  for (const { kind, value, start } of rtfTokens(group)) {
    if (kind === 'open') {
      depth += 1
      if (depth > 1 && hidden === 0 && HIDDEN.test(group.slice(start, start + HIDDEN_CHARACTERS))) hidden = depth
    } else if (kind === 'close') {
      if (hidden === depth) hidden = 0
      depth -= 1
    } else if (hidden > 0) continue
    else if (kind === 'text') text += value
    else if (value === 'par' || value === 'line') text += '\n'
    else if (value === 'chpgn') text += PAGE_NUMBER
    else if (value === 'tab' || value === '~') text += ' '
  }
  return text
}
