import { groupAt } from './rtf-groups.ts'

const FALLBACK = /\{\\nonesttables(?![a-z])/g

/** The file without what it shows to readers that know no tables within tables (RTF 1.9.1, "Nested Tables"). */
export function withoutFallbacks(rtf: string): string {
  let kept = ''
  let from = 0
  for (const { index } of rtf.matchAll(FALLBACK)) {
    if (index < from) continue
    kept += rtf.slice(from, index)
    from = index + groupAt(rtf, index).length
  }
  return kept + rtf.slice(from)
}
