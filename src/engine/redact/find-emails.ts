import { asSpans, matchesOf } from './find-matches.ts'
import type { PiiSpan } from './pii-span.ts'

/** Local part and domain; a Markdown writer may have put a backslash before `_` and other marks. */
const ADDRESS =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}](?:[\p{L}\p{N}._%+'-]|\\[_*+-])*@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,24}(?![\p{L}\p{N}@])/dgu
/** `name (at) example (dot) org`, as people write it against harvesters. */
const SPELLED =
  /(?<![\p{L}\p{N}._+-])[\p{L}\p{N}._+-]+ ?[[({] ?(?:at|ät|@) ?[\])}] ?[\p{L}\p{N}-]+(?:(?:\.| ?[[({] ?(?:dot|punkt|\.) ?[\])}] ?)[\p{L}\p{N}-]+)+/dgiu
/** `icon@2x.png` is a file. */
const FILE_ENDING = /\.(?:png|jpe?g|gif|svg|webp|ico|css|js|ts|json|html?|pdf|mp4)$/i

export function findEmails(text: string): PiiSpan[] {
  const addresses = matchesOf(text, ADDRESS).filter((match) => !FILE_ENDING.test(match.text))
  return asSpans([...addresses, ...matchesOf(text, SPELLED)], 'EMAIL')
}
