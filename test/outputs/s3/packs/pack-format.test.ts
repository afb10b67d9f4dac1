import { createHash } from 'node:crypto'
import * as fc from '../../../support/fast-check.ts'
import { expect, test } from 'vitest'
import { decodeIndex, encodePack, indexEnd, type PackContent } from '#src/outputs/s3/packs/pack-format.ts'
import { isGroup, type Location, LocationTable } from '#src/outputs/s3/packs/location-table.ts'

const content: fc.Arbitrary<PackContent> = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => ({ kind: 'bytes' as const, bytes })),
  fc.bigInt(0n, 2n ** 64n - 1n).map((id) => ({ kind: 'large' as const, id: id.toString(16).padStart(16, '0') })),
  fc.constant({ kind: 'removed' as const }),
)

test('a pack returns its contents from its first bytes and the locations in them', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), content), (contents) => {
      const { bytes, index } = encodePack('0123456789abcdef', Object.entries(contents))
      const end = indexEnd(bytes) ?? 0
      expect(decodeIndex(bytes.subarray(0, end))).toEqual(index)
      expect(() => decodeIndex(bytes.subarray(0, end - 1))).toThrow('index of the pack is incomplete')
      for (const row of index.rows) {
        const put = contents[row.name]
        expect(row.kind).toBe(put?.kind === 'bytes' ? 'inside' : put?.kind)
        if (row.kind === 'large') expect(put).toEqual({ kind: 'large', id: row.id })
        if (row.kind !== 'inside' || put?.kind !== 'bytes') continue
        expect(bytes.subarray(row.offset, row.offset + row.length)).toEqual(Buffer.from(put.bytes))
      }
    }),
  )
})

const sha = (number: number): string => createHash('sha256').update(`${number}`).digest('hex')
const nameOf = (number: number): string =>
  number % 3 === 0
    ? `receipts/${sha(number >> 2).slice(0, 2)}/${sha(number >> 2)}-${number}.json.gz`
    : `documents/folder/${number >> 3}.pdf/${number}`

test('the table of pack locations agrees with a map over random changes and every widening', () => {
  const change = fc.tuple(fc.nat(4000), fc.nat(2))
  fc.assert(
    fc.property(fc.array(change, { minLength: 2000, maxLength: 6000 }), (changes) => {
      const table = new LocationTable()
      const map = new Map<string, Location>()
      for (const [at, [number, kind]] of changes.entries()) {
        const name = nameOf(number)
        const location: Location =
          kind === 1
            ? { kind: 'inside', pack: at + 1, offset: number * 1000, length: at }
            : { kind: 'large', pack: at + 1, id: sha(at).slice(0, 16) }
        if (kind === 0) table.delete(name)
        else table.set(name, location)
        if (kind === 0) map.delete(name)
        else map.set(name, location)
      }
      expect(table.size).toBe(map.size)
      for (let number = 0; number <= 4000; number += 7)
        expect(table.find(nameOf(number))).toEqual(map.get(nameOf(number)) ?? null)
      const large = [...map.values()].flatMap((location) => (location.kind === 'large' ? [location.id] : []))
      expect([...table.large()].toSorted()).toEqual(large.toSorted())
      const group = 'documents/folder/40.pdf/'
      const packs = [...map].filter(([name]) => name.startsWith(group)).map(([, { pack }]) => pack)
      expect(table.packsOf(group)).toEqual(packs.toSorted((one, other) => one - other))
    }),
    { numRuns: 12 },
  )
})

test.each([
  ['documents/a/b.pdf/', true],
  [`receipts/${sha(1).slice(0, 2)}/${sha(1)}`, true],
  ['documents/', false],
  ['documents/a/', false],
  ['receipts/', false],
  ['receipts/ab/', false],
  ['failures/', false],
])('names in a pack that start with %s belong to one group: %s', (start, is) => expect(isGroup(start)).toBe(is))
