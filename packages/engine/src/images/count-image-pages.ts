import { ImageFile } from './image-file.ts'
import { tiffDirectories } from './tiff-directory.ts'

/** Returns the number of pages of an image: that of a TIFF, else 1. Reads no pixels. */
export function countImagePages(path: string): number {
  using file = new ImageFile(path)
  if (!/^(?:II|MM)/.test(file.read(0, 2).toString('latin1'))) return 1
  let pages = 0
  for (const _ of tiffDirectories(file)) pages += 1
  return pages
}
