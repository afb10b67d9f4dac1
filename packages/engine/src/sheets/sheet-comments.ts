import type { WorkSheet } from '@e965/xlsx'
import { escapeInline } from '../markup/escape-markdown.ts'

/** Notice that the program inserts before a threaded comment for older readers. */
const THREAD_NOTICE = /^\[Threaded comment\][\s\S]*?(?:Comment:|$)\s*/

/** Returns the comments of a sheet, one per line: `[author: Jane]: text`. */
export function sheetComments(sheet: WorkSheet): string[] {
  const found: string[] = []
  sheet['!data']?.forEach((row) =>
    row?.forEach((cell) => {
      for (const { a: author = '', t = '' } of cell?.c ?? []) {
        const named = author.replace(/^tc=\{.*$/, '').trim()
        // Notes of older programs start with the author's name.
        const text = t
          .replace(THREAD_NOTICE, '')
          .replace(named === '' ? '' : `${named}:`, '')
          .replace(/\s+/g, ' ')
          .trim()
        if (text !== '')
          found.push(`${named === '' ? '\\[comment]' : `\\[author: ${escapeInline(named)}]`}: ${escapeInline(text)}`)
      }
    }),
  )
  return found
}
