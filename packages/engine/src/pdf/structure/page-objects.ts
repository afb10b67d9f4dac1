export interface PageObject {
  readonly number: number
  /** Objects that ancestors in the page tree reference. A page inherits their resources. */
  readonly inherited: readonly number[]
}

export const isPage = (text: string): boolean => /\/Type\s*\/Page(?![A-Za-z])/.test(text)

/** Returns the pages in order of the page tree, or null if the tree is uncertain. */
export function pagesOf(objects: ReadonlyMap<number, string>): readonly PageObject[] | null {
  const roots = new Set(
    catalogsOf(objects).flatMap((text) => [...text.matchAll(/\/Pages\s+(\d+)\s+\d+\s+R/g)].map((at) => Number(at[1]))),
  )
  const [root] = roots
  if (root === undefined || roots.size > 1) return null
  const pages: PageObject[] = []
  const seen = new Set<number>()
  const walk = (number: number, inherited: readonly number[]): boolean => {
    const text = objects.get(number)
    if (text === undefined || seen.has(number)) return false
    seen.add(number)
    const kids = text.split('/Kids')
    if (kids.length === 1) return isPage(text) && pages.push({ number, inherited }) > 0
    const list = /^\s*\[([^\]]*)\]/.exec(kids[1] ?? '')?.[1]
    if (kids.length > 2 || list === undefined) return false
    const own = [...inherited, ...references(text.replace(list, ''))]
    return references(list).every((kid) => walk(kid, own))
  }
  return walk(root, []) ? pages : null
}

/** Returns the document catalog, and those of earlier versions of the file. */
export function catalogsOf(objects: ReadonlyMap<number, string>): string[] {
  return [...objects.values()].filter((text) => /\/Type\s*\/Catalog(?![A-Za-z])/.test(text))
}

/** Returns the object numbers that a dictionary references, except its parent. */
export function references(text: string): number[] {
  const others = text.replace(/\/Parent\s+\d+\s+\d+\s+R/g, '')
  return [...others.matchAll(/(\d+)\s+\d+\s+R(?![A-Za-z])/g)].map((match) => Number(match[1]))
}
