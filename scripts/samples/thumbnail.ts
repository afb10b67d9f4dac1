import { CFB } from '@e965/xlsx'

/** The used part of a compound file; the library has no types for it. */
interface Container {
  readonly FullPaths: readonly string[]
  readonly FileIndex: readonly { readonly type: number; readonly content: Uint8Array }[]
}

const STREAM = 2
const SECTOR_BYTES = 512
const FREE = -1

/** In a deck of LibreOffice the summary is a picture of the first slide, thirty times the size of all other content. */
export function withoutThumbnail(ppt: Uint8Array): Uint8Array {
  const { FullPaths, FileIndex }: Container = CFB.read(Buffer.from(ppt), { type: 'buffer' })
  const slim = CFB.utils.cfb_new()
  for (const [index, file] of FileIndex.entries()) {
    const path = FullPaths[index]?.replace('Root Entry', '') ?? ''
    if (file.type !== STREAM || path.endsWith('\u0005SummaryInformation')) continue
    CFB.utils.cfb_add(slim, path, file.content)
  }
  return withFreeSectors(CFB.write(slim, { type: 'buffer' }) as Buffer)
}

/**
 * SheetJS marks the sectors after the file's end as used in the (first) allocation table; strict readers refuse that.
 */
function withFreeSectors(container: Buffer): Buffer {
  const sectors = container.length / SECTOR_BYTES - 1
  for (let sector = sectors; sector < SECTOR_BYTES / 4; sector++) {
    container.writeInt32LE(FREE, SECTOR_BYTES + 4 * sector)
  }
  return container
}
