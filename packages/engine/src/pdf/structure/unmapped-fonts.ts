import { references } from './page-objects.ts'

/** Every other character collection maps to known characters (PDF 1.7, section 9.7.5.2). */
const NO_COLLECTION = /\/Ordering\s*\(Identity\)/
const BASE_FONT = /\/BaseFont\s*\/([^\s/<>[\]()]+)/

/**
 * Returns the names of fonts whose text maps to no characters. Their codes are glyph indices (`Identity-H`), the file
 * embeds no glyphs, and no `ToUnicode` map exists (PDF 1.7, section 9.10.2). A library returns letters of a fallback
 * font.
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

/** Returns a dictionary and every dictionary that it references: for a font, its descendant and the descriptor. */
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
