const SENTENCE = /These pages ([^:]+): ([\d, ]+?)( and \d+ more)?\.(?: |$)/g

/** The engine's warning without the pages that were bought: what it says of those holds no more. */
export function localWarning(warning: string | null, bought: ReadonlySet<number>): string | null {
  if (warning === null || warning.trim() === '') return null
  const left = warning.replaceAll(SENTENCE, (sentence, what: string, listed: string, more: string | undefined) => {
    const pages = listed.split(',').map(Number)
    const kept = pages.filter((page) => !bought.has(page))
    if (kept.length === pages.length || more !== undefined) return sentence
    return kept.length === 0 ? '' : `These pages ${what}: ${kept.join(', ')}. `
  })
  return left.trim() === '' ? null : left.trim()
}
