import { closestMatch } from 'leven'

/** Most differences of a typing mistake. */
const LONGEST_SLIP = 3

/** `; did you mean "…"?` with the known name that comes closest to an unknown one, or nothing. */
export function didYouMean(unknown: string, known: readonly string[], most?: number): string {
  const name = bare(unknown)
  const same = known.find((candidate) => bare(candidate) === name)
  const maxDistance = most ?? Math.min(LONGEST_SLIP, Math.floor(name.length / 2))
  const close = same ?? closestMatch(unknown, known, { maxDistance })
  return close === undefined ? '' : `; did you mean "${close}"?`
}

/** `max-credits`, `MAX_CREDITS`, `SLUICE_MAX_CREDITS` and `maxCredits` are one name, and so are `s3Endpoint` and `s3.endpoint`. */
const bare = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .replace(/^sluice/, '')
