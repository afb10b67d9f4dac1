import { isLocked, isOle } from '../container/locked-office.ts'
import { decryptPackage } from './decrypt-package.ts'
import { decryptSlides } from './decrypt-slides.ts'
import { decryptText } from './decrypt-text.ts'
import { decryptWorkbook } from './decrypt-workbook.ts'
import { OleStreams } from '../container/ole-streams.ts'

/**
 * Passwords that programs try silently: Excel's for workbooks with only a protected structure ([MS-OFFCRYPTO] 2.4.2.3),
 * and PowerPoint's for read-only presentations.
 */
const WELL_KNOWN = ['VelvetSweatshop', '/01Hannes Ruescher/01']

/** Decrypts an Office file with a given or a well-known password. Returns it unchanged otherwise. */
export function unlockOffice(bytes: Buffer, passwords: readonly string[]): Buffer {
  if (!isOle(bytes) || !isLocked(bytes)) return bytes
  const wanted = [...passwords, ...WELL_KNOWN]
  try {
    return decryptPackage(bytes, wanted) ?? unlockedLegacy(bytes, wanted) ?? bytes
  } catch {
    // A damaged container or header remains unchanged. The library then reports the damage.
    return bytes
  }
}

function unlockedLegacy(bytes: Buffer, passwords: readonly string[]): Buffer | null {
  const file = new OleStreams(bytes)
  for (const password of passwords) {
    const decrypted = decryptedStreams(file, password)
    if (decrypted === null) continue
    for (const [name, content] of decrypted) file.overwrite(name, content)
    return file.bytes
  }
  return null
}

function decryptedStreams(file: OleStreams, password: string): ReadonlyMap<string, Buffer> | null {
  const streamOf = (name: string): Buffer | null => file.read(name)
  for (const name of ['Workbook', 'Book']) {
    const stream = streamOf(name)
    const decrypted = stream === null ? null : decryptWorkbook(stream, password)
    if (decrypted !== null) return new Map([[name, decrypted]])
  }
  return decryptText(streamOf, password) ?? decryptSlides(streamOf, password)
}
