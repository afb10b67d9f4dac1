import { describe, expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { DocumentChanged } from '#src/document/document-changed.ts'
import { type OpenedDocument, type Source } from '#src/ports/source.ts'
import { type SourceItem } from '#src/document/source-item.ts'
import { collect } from '../support/documents.ts'

const never = new AbortController().signal

/** A source of the test's own, and the hands to change what is in it. */
export interface SourceUnderTest extends AsyncDisposable {
  readonly source: Source
  write(key: string, bytes: Uint8Array | string): Promise<void>
  remove(key: string): Promise<void>
}

export async function openKey(source: Source, key: string): Promise<OpenedDocument> {
  const opened = await source.open(sourceKey(key), never)
  if (!('kind' in opened)) throw new Error(`not opened: ${opened.message}`)
  return opened
}

export async function readAll(opened: OpenedDocument): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of opened.read(never)) parts.push(Buffer.from(part))
  return Buffer.concat(parts)
}

/** What every source promises (src/ports/source.ts). `keys` are odd ones that it can hold. */
export function testSource(name: string, keys: readonly string[], open: () => Promise<SourceUnderTest>): void {
  const itemsOf = async (source: Source): Promise<readonly SourceItem[]> => collect(source.list(never))

  describe(name, () => {
    test('lists nothing when it is empty', async () => {
      await using under = await open()
      expect(await itemsOf(under.source)).toEqual([])
    })

    test('lists every document once, with its size, and opens it by its key', async () => {
      await using under = await open()
      for (const key of keys) await under.write(key, `content of ${key}`)
      const listed = await itemsOf(under.source)
      expect(listed.map((item) => item.key).toSorted()).toEqual(keys.toSorted())
      for (const item of listed) {
        await using opened = await openKey(under.source, item.key)
        const text = `content of ${item.key}`
        expect(item).toEqual({
          kind: 'document',
          key: item.key,
          version: opened.version,
          bytes: Buffer.byteLength(text),
        })
        expect((await readAll(opened)).toString()).toBe(text)
      }
    })

    test('reads from the first byte at each call, also concurrently', async () => {
      await using under = await open()
      const bytes = Buffer.alloc(3_000_000, 'a piece of text that does not divide evenly ')
      await under.write('big.pdf', bytes)
      await using opened = await openKey(under.source, 'big.pdf')
      const copies = await Promise.all([readAll(opened), readAll(opened)])
      expect([...copies, await readAll(opened)].map((copy) => copy.equals(bytes))).toEqual([true, true, true])
    })

    test('reads an empty document as zero bytes', async () => {
      await using under = await open()
      await under.write('empty.pdf', '')
      await using opened = await openKey(under.source, 'empty.pdf')
      expect([opened.bytes, (await readAll(opened)).length]).toEqual([0, 0])
    })

    test('keeps a version until the bytes change, even to others of the same length', async () => {
      await using under = await open()
      await under.write('a.pdf', 'one')
      const version = async (): Promise<unknown> =>
        (await itemsOf(under.source)).map((item) => 'version' in item && item.version)
      const first = await version()
      expect(await version()).toEqual(first)
      await under.write('a.pdf', 'two')
      expect(await version()).not.toEqual(first)
    })

    test('detects that an opened document was replaced or removed', async () => {
      await using under = await open()
      await under.write('a.pdf', 'one')
      await using opened = await openKey(under.source, 'a.pdf')
      expect(await opened.unchanged(never)).toBe(true)
      await under.write('a.pdf', 'other')
      expect(await opened.unchanged(never)).toBe(false)
      await using again = await openKey(under.source, 'a.pdf')
      await under.remove('a.pdf')
      expect(await again.unchanged(never)).toBe(false)
    })

    test('never mixes two versions in one reading', async () => {
      await using under = await open()
      const before = Buffer.alloc(2_000_000, 'before ')
      await under.write('a.pdf', before)
      await using opened = await openKey(under.source, 'a.pdf')
      const parts: Uint8Array[] = []
      const read = (async () => {
        for await (const part of opened.read(never)) {
          if (parts.length === 0) await under.write('a.pdf', Buffer.alloc(2_000_000, 'after! '))
          parts.push(Buffer.from(part))
        }
      })()
      const outcome = await read.then(
        () => 'whole',
        (error: unknown) => (error instanceof DocumentChanged ? 'changed' : String(error)),
      )
      const whole = outcome === 'whole' && Buffer.concat(parts).equals(before)
      expect(whole || outcome === 'changed').toBe(true)
    })

    test('reports a missing document as vanished', async () => {
      await using under = await open()
      expect(await under.source.open(sourceKey('gone.pdf'), never)).toMatchObject({ code: 'vanished', stage: 'read' })
    })

    test('stops listing on abort', async () => {
      await using under = await open()
      await under.write('a.pdf', 'one')
      await expect(collect(under.source.list(AbortSignal.abort(new Error('enough'))))).rejects.toThrow('enough')
    })
  })
}
