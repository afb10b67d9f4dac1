/**
 * Returns the same PDF without its pictures, and the number of pictures. The function overwrites the subtype of each
 * image XObject with an unknown one of the same length, so every offset remains valid. Readers skip it (PDF 1.7,
 * section 8.8.1). An image is a stream outside object streams, and PDFs never encrypt names, so the dictionaries are
 * plain bytes. Content that only this drawing lacks is picture. A word that it lacks is invisible text over a picture.
 */
export function withoutPictures(file: Buffer): { readonly file: Buffer; readonly pictures: number } {
  const places = picturePlaces(file)
  if (places.length === 0) return { file, pictures: 0 }
  const copy = Buffer.from(file)
  for (const at of places) copy.write('/Imagx', at, 'latin1')
  return { file: copy, pictures: places.length }
}

function picturePlaces(file: Buffer): number[] {
  const places: number[] = []
  for (let at = file.indexOf('/Image'); at >= 0; at = file.indexOf('/Image', at + 1)) {
    if (isRegular(file[at + 6])) continue
    let end = at
    while (end > 0 && isSpace(file[end - 1])) end -= 1
    if (file.toString('latin1', Math.max(0, end - 8), end) === '/Subtype') places.push(at)
  }
  return places
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0 || byte === 9 || byte === 10 || byte === 12 || byte === 13 || byte === 32
}

/** True for a byte that would continue the name (PDF 1.7, section 7.2.2). */
function isRegular(byte: number | undefined): boolean {
  return byte !== undefined && !isSpace(byte) && !'()<>[]{}/%'.includes(String.fromCharCode(byte))
}
