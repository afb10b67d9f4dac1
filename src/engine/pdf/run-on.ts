import type { Fragment, PageFragments } from './fragment.ts'
import { keepsHyphen } from './layout/line-text.ts'

/**
 * Joins what a break cuts: a paragraph that goes on in the next column, after a figure, or on the next page. Each part
 * stays a fragment of its own; only what stands between them changes, and the hyphen of a cut word goes. With
 * `acrossPages` false, pages stay apart, as page markers need them.
 */
export function withRunOns(
  pages: readonly PageFragments[],
  options: { readonly acrossPages: boolean; readonly vocabulary: ReadonlySet<string> },
): PageFragments[] {
  const out = pages.map((page) => ({ ...page, fragments: [...page.fragments] }))
  let last: { readonly fragments: Fragment[]; readonly index: number } | null = null
  for (const { fragments } of out) {
    if (!options.acrossPages) last = null
    for (const [index, fragment] of fragments.entries()) {
      if (fragment.markdown === '') continue
      const before: Fragment | undefined = last?.fragments[last.index]
      if (last !== null && before !== undefined && goesOn(before, fragment)) {
        const cut = cutWord(before.markdown, fragment.markdown, options.vocabulary)
        fragments[index] = { ...fragment, spacing: cut === null ? 'run_on' : 'glued' }
        if (cut !== null) last.fragments[last.index] = { ...before, markdown: cut }
      }
      last = { fragments, index }
    }
  }
  return out
}

function goesOn(before: Fragment, fragment: Fragment): boolean {
  return (
    (before.label === 'paragraph' || before.label === 'list_item') &&
    fragment.label === 'paragraph' &&
    /[\p{L}\p{N},-]$/u.test(before.markdown) &&
    /^\p{Ll}/u.test(fragment.markdown)
  )
}

/** `text` without the hyphen that cut its last word, or null where it ends in a whole word. */
function cutWord(text: string, next: string, vocabulary: ReadonlySet<string>): string | null {
  const head = /(\p{L}{2,})-$/u.exec(text)?.[1]
  if (head === undefined) return null
  const tail = /^\p{L}+/u.exec(next)?.[0] ?? ''
  return keepsHyphen(head.toLowerCase(), tail, vocabulary) ? text : text.slice(0, -1)
}
