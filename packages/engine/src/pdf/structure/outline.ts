import { catalogsOf, pagesOf, references } from './page-objects.ts'
import { stringOf } from './pdf-string.ts'

/** An entry of the PDF outline, the author's list of sections that PDF viewers show. */
export interface OutlineEntry {
  readonly title: string
  /** 1 for the outermost entries. */
  readonly depth: number
  /** 1-based. Null if the parser cannot resolve the entry's destination. */
  readonly page: number | null
}

const MAX_ENTRIES = 20_000
const DEEPEST = 12

/**
 * Parses the outline of a PDF (PDF 1.7, section 12.3.3) from its objects. Empty if it has none, or if it is encrypted.
 */
export function outlineOf(objects: ReadonlyMap<number, string>): OutlineEntry[] {
  const root = lastReference(catalogsOf(objects).join(' '), 'Outlines')
  const first = root === null ? null : lastReference(objects.get(root) ?? '', 'First')
  if (first === null) return []
  const places = placesOf(objects)
  const entries: OutlineEntry[] = []
  const seen = new Set<number>()
  const walk = (from: number | null, depth: number): void => {
    for (let number = from; number !== null && !seen.has(number) && entries.length < MAX_ENTRIES;) {
      seen.add(number)
      const text = objects.get(number) ?? ''
      const title = stringOf(text, 'Title')
      if (title !== '') entries.push({ title, depth, page: places(text) })
      if (depth < DEEPEST) walk(lastReference(text, 'First'), depth + 1)
      number = lastReference(text, 'Next')
    }
  }
  walk(first, 1)
  return entries
}

/** An object with later versions has the text of all versions, the newest last. */
function lastReference(text: string, key: string): number | null {
  const found = [...text.matchAll(new RegExp(`/${key}\\s+(\\d+)\\s+\\d+\\s+R`, 'g'))].at(-1)?.[1]
  return found === undefined ? null : Number(found)
}

/**
 * Returns a lookup from an entry to its page: by an array, through an action, or by a name (PDF 1.7, section 12.3.2).
 */
function placesOf(objects: ReadonlyMap<number, string>): (entry: string) => number | null {
  const pages = new Map(pagesOf(objects)?.map(({ number }, index) => [number, index + 1]))
  const names = new Map<string, string>()
  const namesOf = (): ReadonlyMap<string, string> => {
    if (names.size === 0) for (const text of objects.values()) if (text.includes('/Names')) collectNames(text, names)
    return names
  }
  const pageOf = (text: string, steps: number): number | null => {
    const place = /(?:\/(?:Dest|D)\s*|^\s*)\[\s*(\d+)\s+\d+\s+R/.exec(text)?.[1]
    if (place !== undefined) return pages.get(Number(place)) ?? null
    if (steps === 0) return null
    const [next] = references(/\/(?:Dest|D|A)\s+\d+\s+\d+\s+R/.exec(text)?.[0] ?? '')
    if (next !== undefined) return pageOf(objects.get(next) ?? '', steps - 1)
    const named = stringOf(text, 'Dest') || stringOf(text, 'D')
    const target = named === '' ? undefined : namesOf().get(named)
    if (target === undefined) return null
    const [own] = target.startsWith('[') || target.startsWith('<<') ? [] : references(target)
    return pageOf(own === undefined ? target : (objects.get(own) ?? ''), steps - 1)
  }
  return (entry) => pageOf(entry, 3)
}

/** Parses leaves of a name tree: `(name) 5 0 R`, `(name) [5 0 R /XYZ …]`, `(name) <</D [5 0 R …]>>`. */
function collectNames(text: string, names: Map<string, string>): void {
  for (const [pair, , target = ''] of text.matchAll(
    /(\((?:\\[\s\S]|[^\\()])*\)|<[\da-fA-F\s]+>)\s*(\d+\s+\d+\s+R|\[[^\]]*\]|<<[^>]*>>)/g,
  ))
    names.set(stringOf(`/K${pair}`, 'K'), target)
}
