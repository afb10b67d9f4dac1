import { strToU8, zipSync } from 'fflate'

/** Date of every member: the same members are the same bytes at any time. */
const MADE_AT = '2026-01-02T03:04:06'

/** A zip archive with these members, in this order; `level` 0 stores them as they are. */
export function zip(members: Readonly<Record<string, string | Uint8Array>>, level: 0 | 6 = 6): Buffer<ArrayBuffer> {
  const files = Object.entries(members).map(([name, content]) => {
    const bytes = typeof content === 'string' ? strToU8(content) : new Uint8Array(content)
    return [name, bytes] as const
  })
  return Buffer.from(zipSync(Object.fromEntries(files), { level, mtime: MADE_AT }))
}
