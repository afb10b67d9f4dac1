import { closestMatch } from 'leven'

/** Maximum edit distance of a typo. */
export const MAX_TYPO_EDITS = 3

/** Suggests the closest known name, `; did you mean "…"?`, or nothing. */
export function didYouMean(unknown: string, known: readonly string[], most?: number): string {
  const name = normalizedName(unknown)
  const same = known.find((candidate) => normalizedName(candidate) === name)
  const maxDistance = most ?? Math.min(MAX_TYPO_EDITS, Math.floor(name.length / 2))
  const close = same ?? closestMatch(unknown, known, { maxDistance })
  return close === undefined ? '' : `; did you mean "${close}"?`
}

/**
 * Normalizes a name: `max-credits`, `MAX_CREDITS`, `SLUICE_MAX_CREDITS` and `maxCredits` are equal, and so are
 * `s3Endpoint` and `s3.endpoint`.
 */
const normalizedName = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .replace(/^sluice/, '')
