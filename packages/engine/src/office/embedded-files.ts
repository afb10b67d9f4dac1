import { oleContainer } from '../container/ole-container.ts'
import { counted } from '../markup/left-out.ts'
import { isOle } from '../container/locked-office.ts'
import { OoxmlPackage } from '../ooxml/ooxml-package.ts'

/** Embedded files by their package names. A chart's own table and an equation of an old editor count elsewhere. */
const EMBEDDED = /^(?:word|ppt|xl)\/embeddings\/[^/]+$/
const OF_CHARTS = /Microsoft_(?:Office_)?Excel_(?:Macro-Enabled_)?(?:Binary_)?(?:Work)?sheet/i
/** Storages of embedded files in .doc and .xls ([MS-DOC] 2.1.4, [MS-XLS] 2.1.7.1). */
const STORAGES = /\/(?:ObjectPool\/_\d+|MBD[0-9A-F]{8})\/(?:Package|CONTENTS|\u0001Ole10Native|WordDocument|Workbook)$/i

/** Returns `2 embedded files` if a document contains any. The parser skips them. */
export function embeddedFiles(bytes: Buffer): string[] {
  if (bytes.subarray(0, 2).toString('latin1') === 'PK') {
    const names = new OoxmlPackage(bytes).parts(EMBEDDED).filter((name) => !OF_CHARTS.test(name))
    return counted(names.length, 'embedded file')
  }
  if (!isOle(bytes)) return []
  try {
    const paths: readonly string[] = oleContainer(bytes).FullPaths
    const storages = new Set(paths.filter((path) => STORAGES.test(path)).map((path) => path.replace(/\/[^/]*$/, '')))
    return counted(storages.size, 'embedded file')
  } catch {
    return []
  }
}
