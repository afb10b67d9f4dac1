import type { Fragment, PageFragments } from './fragment.ts'
import { isWrittenWithoutSpace, keepsHyphen } from './geometry/line-text.ts'

/**
 * Joins a paragraph across a column break, a figure, notes or a page break. Each part remains a separate fragment. Only
 * the separator changes, and the hyphen of a split word goes. If `acrossPages` is false, pages remain separate, as page
 * markers require.
 */
export function joinSplitParagraphs(
  pages: readonly PageFragments[],
  options: { readonly acrossPages: boolean; readonly vocabulary: ReadonlySet<string> },
): PageFragments[] {
  const out = pages.map((page) => ({ ...page, fragments: [...page.fragments] }))
  let last: FragmentPosition | null = null
  for (const { fragments } of out) {
    if (!options.acrossPages) last = null
    for (const [index, fragment] of fragments.entries()) {
      const before: Fragment | undefined = last?.fragments[last.index]
      if (fragment.markdown === '' || (before !== undefined && isCompleteNote(fragment))) continue
      if (last === null || before === undefined || !isContinuation(before, fragment, last.fragments !== fragments)) {
        last = { fragments, index }
        continue
      }
      const cut = withoutSplitHyphen(before.markdown, fragment.markdown, options.vocabulary)
      const glued = cut !== null || isWrittenWithoutSpace(before.markdown, fragment.markdown)
      fragments[index] = { ...fragment, spacing: glued ? 'glued' : 'run_on' }
      if (cut !== null) last.fragments[last.index] = { ...before, markdown: cut }
      last = last.fragments === fragments ? moveBeforeNotes(last, index) : moveNotesBefore(last, { fragments, index })
    }
  }
  return out
}

/** True for a complete note. An incomplete note continues with the following text. */
function isCompleteNote({ note, markdown }: Fragment): boolean {
  return note === true && /[.!?]["”’)\]]?$/u.test(markdown)
}

interface FragmentPosition {
  readonly fragments: Fragment[]
  readonly index: number
}

/** Moves the continuation at `index` before the notes below the first part. Returns its new index. */
function moveBeforeNotes({ fragments, index: before }: FragmentPosition, index: number): FragmentPosition {
  if (!fragments.slice(before + 1, index).some(({ note }) => note === true)) return { fragments, index }
  const [rest] = fragments.splice(index, 1)
  if (rest !== undefined) fragments.splice(before + 1, 0, rest)
  return { fragments, index: before + 1 }
}

/** Moves the notes below a paragraph before its last part. The text of a page remains on its page. */
function moveNotesBefore({ fragments, index }: FragmentPosition, next: FragmentPosition): FragmentPosition {
  const below = fragments.slice(index)
  const notes = below.filter(({ note, markdown }) => note === true && markdown !== '')
  if (notes.length > 0) fragments.splice(index, below.length, ...notes, ...below.filter((one) => !notes.includes(one)))
  return next
}

function isContinuation(before: Fragment, fragment: Fragment, overPage: boolean): boolean {
  if (before.label !== 'paragraph' && before.label !== 'list_item') return false
  if (fragment.label !== 'paragraph') return false
  if (/[\p{L}\p{N},-]$/u.test(before.markdown) && /^\p{Ll}/u.test(fragment.markdown)) return true
  const above = before.bbox !== null && fragment.bbox !== null && fragment.bbox.y1 < before.bbox.y1
  return (
    (overPage || above) &&
    before.label === 'paragraph' &&
    before.source === 'native_text' &&
    before.markdown.length >= CASELESS_LETTERS &&
    ENDS_CASELESS.test(before.markdown) &&
    BEGINS_CASELESS.test(fragment.markdown)
  )
}

/**
 * Threshold in letters for scripts without capitals. A longer paragraph without an end mark continues in the next
 * column or on the next page.
 */
const CASELESS_LETTERS = 40
const CASELESS = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hebrew}\\p{Script=Arabic}'
const ENDS_CASELESS = new RegExp(`[${CASELESS}，、،]$`, 'u')
const BEGINS_CASELESS = new RegExp(`^[${CASELESS}]`, 'u')

/** Returns `text` without the hyphen of a split last word, or null if its last word is complete. */
function withoutSplitHyphen(text: string, next: string, vocabulary: ReadonlySet<string>): string | null {
  const head = /(\p{L}{2,})-$/u.exec(text)?.[1]
  if (head === undefined) return null
  const tail = /^\p{L}+/u.exec(next)?.[0] ?? ''
  return keepsHyphen(head.toLowerCase(), tail, vocabulary) ? text : text.slice(0, -1)
}
