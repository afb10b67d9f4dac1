import { references } from './page-objects.ts'

/** Character collections that a reader knows the characters of (PDF 1.7, section 9.7.5.2) are all but this one. */
const NO_COLLECTION = /\/Ordering\s*\(Identity\)/
const BASE_FONT = /\/BaseFont\s*\/([^\s/<>[\]()]+)/

/**
 * Names of the fonts whose text has no characters: its codes are numbers of glyphs (`Identity-H`), the glyphs are not in the
 * file, and no `ToUnicode` says what they mean (PDF 1.7, section 9.10.2). A library answers with letters of another font.
 */
export function unmappedFonts(objects: ReadonlyMap<number, string>): ReadonlySet<string> {
  const names = new Set<string>()
  for (const text of objects.values()) {
    if (!/\/Subtype\s*\/Type0(?![A-Za-z0-9])/.test(text) || !/\/Encoding\s*\/Identity-[HV]/.test(text)) continue
    const name = BASE_FONT.exec(text)?.[1]
    if (name === undefined || text.includes('/ToUnicode')) continue
    const whole = reachable(text, objects)
    if (NO_COLLECTION.test(whole) && !whole.includes('/FontFile')) names.add(name)
  }
  return names
}

/** A dictionary and all that it leads to: of a font, its descendant and the descriptor. */
function reachable(text: string, objects: ReadonlyMap<number, string>): string {
  const found = new Map<number, string>()
  const open = references(text)
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    if (found.has(number)) continue
    const next = objects.get(number) ?? ''
    found.set(number, next)
    open.push(...references(next))
  }
  return [text, ...found.values()].join(' ')
}
