const ORIENTATION_TAG = 0x0112

/** Returns the orientation of an EXIF block, which is a TIFF header with its first directory. Default: 1. */
export function exifOrientation(exif: Buffer): number {
  const isLittle = exif.toString('latin1', 0, 2) === 'II'
  const short = (at: number): number =>
    at + 2 > exif.length ? 0 : isLittle ? exif.readUInt16LE(at) : exif.readUInt16BE(at)
  const long = (at: number): number =>
    at + 4 > exif.length ? 0 : isLittle ? exif.readUInt32LE(at) : exif.readUInt32BE(at)
  if (short(2) !== 42) return 1
  const directory = long(4)
  for (let index = 0; index < short(directory); index++) {
    const entry = directory + 2 + index * 12
    if (short(entry) === ORIENTATION_TAG) return asOrientation(short(entry + 8))
  }
  return 1
}

export const asOrientation = (value: number): number => (value >= 1 && value <= 8 ? value : 1)
