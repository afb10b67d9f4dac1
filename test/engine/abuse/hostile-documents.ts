import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CFB } from '@e965/xlsx'
import { Random } from '../../support/random.ts'
import { pdfOf } from '../support/pdf-of.ts'

export interface HostileDocument {
  readonly what: string
  readonly file: File
}

const SAMPLES = join(import.meta.dirname, '../../../samples')

const document = (what: string, name: string, bytes: Uint8Array | string): HostileDocument => ({
  what,
  file: new File([typeof bytes === 'string' ? bytes : Uint8Array.from(bytes)], name),
})

function flipped(bytes: Buffer, random: Random): Buffer {
  const copy = Buffer.from(bytes)
  for (let count = 0; count < 20; count += 1) {
    const at = random.below(copy.length)
    copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8))
  }
  return copy
}

/** Every sample cut in the middle, and with twenty of its bits turned over. */
export async function damagedSamples(seed: number): Promise<HostileDocument[]> {
  const random = new Random(seed)
  const names = (await readdir(SAMPLES)).sort()
  const damaged = await Promise.all(names.map(async (name) => ({ name, bytes: await readFile(join(SAMPLES, name)) })))
  return damaged.flatMap(({ name, bytes }) => [
    document(`${name}, cut`, name, bytes.subarray(0, Math.floor(bytes.length * (0.3 + random.next() * 0.6)))),
    document(`${name}, flipped`, name, flipped(bytes, random)),
  ])
}

function archive(files: Readonly<Record<string, Buffer>>, fileType: 'zip' | 'cfb'): Buffer {
  const container = CFB.utils.cfb_new()
  for (const [name, bytes] of Object.entries(files)) CFB.utils.cfb_add(container, `/${name}`, bytes)
  return CFB.write(container, { type: 'buffer', fileType, compression: true }) as Buffer
}

const CONTENT_TYPES = Buffer.from(
  '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
)

/** The declared sizes of all entries raised beyond what a document may hold. */
function withDeclaredSize(zip: Buffer, bytes: number): Buffer {
  const copy = Buffer.from(zip)
  for (
    let at = copy.indexOf('PK\u0001\u0002', 0, 'latin1');
    at >= 0;
    at = copy.indexOf('PK\u0001\u0002', at + 4, 'latin1')
  ) {
    copy.writeUInt32LE(bytes, at + 24)
  }
  return copy
}

/** Archives that unpack without end, nesting without end, files too long, files that are locked. */
export function builtDocuments(): HostileDocument[] {
  const bomb = archive(
    { '[Content_Types].xml': CONTENT_TYPES, 'word/document.xml': Buffer.alloc(64 * 1024 ** 2, 0x20) },
    'zip',
  )
  const encrypted = archive({ EncryptionInfo: Buffer.alloc(64, 4), EncryptedPackage: Buffer.alloc(512, 7) }, 'cfb')
  const locked = pdfOf(['secret'])
    .toString('latin1')
    .replace(
      '/Root 1 0 R',
      '/Root 1 0 R /Encrypt << /Filter /Standard /V 1 /R 2 /O (0123456789abcdef0123456789abcdef) /U (0123456789abcdef0123456789abcdef) /P -4 >> /ID [<00><00>]',
    )
  return [
    document('a ZIP bomb of 64 MB', 'bomb.docx', bomb),
    document('a ZIP bomb that says so', 'bomb.xlsx', withDeclaredSize(bomb, 0xf000_0000)),
    document('a ZIP bomb that lies', 'lie.docx', withDeclaredSize(bomb, 10)),
    document('deep HTML', 'deep.html', '<div>'.repeat(200_000)),
    document('a deep table', 'deep-table.html', '<table><tr><td>'.repeat(3_000)),
    document('a deep RTF', 'deep.rtf', String.raw`{\rtf1` + '{'.repeat(100_000)),
    document('a long CSV', 'long.csv', 'a,b,c\n'.repeat(300_000)),
    document('10,000 pages', 'long.pdf', pdfOf(Array.from({ length: 10_000 }, (_, page) => `Page ${page + 1}`))),
    document('a locked PDF', 'locked.pdf', Buffer.from(locked, 'latin1')),
    document('a locked Word file', 'locked.docx', encrypted),
    document('an empty file', 'empty.pdf', ''),
    document('another type', 'picture.pdf', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')),
  ]
}
