import { zip } from '../../../../../test/support/zip.ts'

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'

/** A part of a package under construction. */
export interface Part {
  readonly path: string
  readonly type: string
  readonly xml: string
  /** Kind (the last word of the type's address, or the whole address) and path of each part it refers to, by id. */
  readonly refersTo?: Readonly<Record<string, readonly [kind: string, path: string]>>
}

function relationships(parts: NonNullable<Part['refersTo']>): string {
  const list = Object.entries(parts).map(([id, [kind, path]]) => {
    const type = kind.includes('://') ? kind : `${OFFICE}/${kind}`
    return `<Relationship Id="${id}" Type="${type}" Target="/${path}"/>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?><Relationships xmlns="${PACKAGE}/relationships">${list.join('')}</Relationships>`
}

/** A package in which the first part is the document. */
export function packageOf(parts: readonly Part[], level: 0 | 6): Buffer {
  const types = parts.map(({ path, type }) => `<Override PartName="/${path}" ContentType="${type}"/>`)
  const files: Record<string, string> = {
    '[Content_Types].xml': `<?xml version="1.0" encoding="UTF-8"?><Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${types.join('')}</Types>`,
    '_rels/.rels': relationships({ r1: ['officeDocument', parts[0]?.path ?? ''] }),
  }
  for (const { path, xml, refersTo } of parts) {
    files[path] = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${xml}`
    const slash = path.lastIndexOf('/')
    if (refersTo !== undefined) {
      files[`${path.slice(0, slash)}/_rels/${path.slice(slash + 1)}.rels`] = relationships(refersTo)
    }
  }
  return zip(files, level)
}
