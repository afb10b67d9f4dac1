import { pdfObjects } from './pdf-objects.ts'

/**
 * Numbers, from 1, of the pages whose resources lead to a picture, through forms and patterns too. A page too many is
 * possible, one too few is not: null where the file is uncertain, as when it is damaged or was changed after it was written.
 */
export function pagesWithPictures(file: Buffer, totalPages: number): ReadonlySet<number> | null {
  const objects = pdfObjects(file)
  if (objects === null) return null
  const pages = pagesOf(objects)
  if (pages === null || pages.length !== totalPages) return null
  const found = new Set<number>()
  for (const [index, { number, inherited }] of pages.entries()) {
    if (leadsToPicture([number, ...inherited], objects)) found.add(index + 1)
  }
  return found
}

interface PageObject {
  readonly number: number
  /** Objects that nodes above it in the page tree name: a page inherits their resources. */
  readonly inherited: readonly number[]
}

const isPage = (text: string): boolean => /\/Type\s*\/Page(?![A-Za-z])/.test(text)

/** The pages in their order, found down the page tree. */
function pagesOf(objects: ReadonlyMap<number, string>): readonly PageObject[] | null {
  const catalogs = [...objects.values()].filter((text) => /\/Type\s*\/Catalog(?![A-Za-z])/.test(text))
  const roots = new Set(
    catalogs.flatMap((text) => [...text.matchAll(/\/Pages\s+(\d+)\s+\d+\s+R/g)].map((match) => Number(match[1]))),
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

function references(text: string): number[] {
  const others = text.replace(/\/Parent\s+\d+\s+\d+\s+R/g, '')
  return [...others.matchAll(/(\d+)\s+\d+\s+R(?![A-Za-z])/g)].map((match) => Number(match[1]))
}

/** Whether a picture can be reached from objects without passing through another page. */
function leadsToPicture(from: readonly number[], objects: ReadonlyMap<number, string>): boolean {
  const seen = new Set<number>()
  const open = [...from]
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    if (seen.has(number)) continue
    const text = objects.get(number) ?? ''
    if (seen.size > 0 && isPage(text)) continue
    seen.add(number)
    if (/\/Subtype\s*\/Image(?![A-Za-z])/.test(text)) return true
    open.push(...references(text))
  }
  return false
}
