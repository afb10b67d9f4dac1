import { readFile, readdir } from 'node:fs/promises'
import { describe, expect, test, vi } from 'vitest'
import { residentBytes } from '../../src/children/process-usage.ts'
import { csvFile, parseWith } from '../support/engine-client.ts'
import { startEngine } from '../support/engine-process.ts'
import { seedFrom } from '../../../../test/support/seed.ts'
import { shared } from '../../../../test/support/shared.ts'
import { join } from 'node:path'
import { CFB } from '@e965/xlsx'
import { Random } from '../../../../test/support/random.ts'
import { pdfOf } from '../support/pdf-of.ts'
import { document, type HostileDocument, sendAll } from './hostile-document.ts'

const SAMPLES = join(import.meta.dirname, '../../../../samples')

function flipped(bytes: Buffer, random: Random): Buffer {
  const copy = Buffer.from(bytes)
  for (let count = 0; count < 20; count += 1) {
    const at = random.below(copy.length)
    copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8))
  }
  return copy
}

/** Every sample cut in the middle, and with twenty of its bits turned over. */
async function damagedSamples(seed: number): Promise<HostileDocument[]> {
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

/** The declared sizes of all members raised beyond what a document may hold. */
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
function builtDocuments(): HostileDocument[] {
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

const SERVER_BYTES = 400 * 1024 ** 2
const CHILD_MEGABYTES = 1_000
const seed = seedFrom('FUZZ_SEED', 'fresh')

const engine = await shared(startEngine({ children: 2, childMemoryBytes: CHILD_MEGABYTES * 1024 ** 2 }))

describe('the engine', () => {
  test(`answers every damaged sample (seed ${seed})`, { timeout: 240_000 }, async () => {
    console.log(`FUZZ_SEED=${seed}`)
    const outcomes = await sendAll(engine, await damagedSamples(seed))
    console.log(Object.fromEntries(outcomes))
    expect(outcomes.size).toBeGreaterThan(40)
  })

  test('answers every hostile document', { timeout: 240_000 }, async () => {
    const outcomes = await sendAll(engine, builtDocuments())
    console.log(Object.fromEntries(outcomes))
    expect(outcomes.get('a ZIP bomb that says so')).toBe('400 DOCUMENT_RESOURCE_LIMIT')
    expect(outcomes.get('a locked Word file')).toBe('400 DOCUMENT_ENCRYPTED')
    expect(outcomes.get('a locked PDF')).toBe('400 DOCUMENT_ENCRYPTED')
    expect(outcomes.get('another type')).toBe('400 DOCUMENT_WRONG_TYPE')
  })

  test('still answers after damaged and hostile documents, and stays within its memory limit', async () => {
    expect((await parseWith(engine, { file: csvFile() })).status).toBe(200)
    expect(await engine.peakBytes()).toBeLessThan(SERVER_BYTES)
    // A child that was killed a moment ago may still be handing back its memory.
    await vi.waitFor(async () => expect(await childrenOf(engine.pid)).toHaveLength(2), 60_000)
    for (const pid of await childrenOf(engine.pid)) expect(residentBytes(pid)).toBeLessThan(CHILD_MEGABYTES * 1024 ** 2)
  })
})

async function childrenOf(pid: number): Promise<number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return list.trim().split(' ').map(Number)
}
