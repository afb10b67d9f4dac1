import { legacyKeys } from './legacy-keys.ts'
import { Rc4 } from './rc4.ts'

/** Records that are never encrypted ([MS-PPT] 2.3.7): the edit, the directory, and the verifier of the key. */
const USER_EDIT = 0x0ff5
const DIRECTORY = 0x1772
const CRYPT_SESSION = 0x2f14
/** Offsets of fields in the stream `Current User` ([MS-PPT] 2.3.2). */
const HEADER_TOKEN = 12
const CURRENT_EDIT = 16
const PLAIN_TOKEN = 0xe391c05f
/** Offsets of fields in the edit ([MS-PPT] 2.3.3). The last exists in an encrypted file only. */
const DIRECTORY_AT = 20
const CRYPT_SESSION_ID = 36
const PLAIN_EDIT_BYTES = 28

/** Decrypts both streams of a presentation. Null if the password is wrong. Throws `RangeError` for a damaged file. */
export function decryptSlides(
  streamOf: (name: string) => Buffer | null,
  password: string,
): ReadonlyMap<string, Buffer> | null {
  const [user, stream] = [streamOf('Current User'), streamOf('PowerPoint Document')]
  if (user === null || stream === null) return null
  const edit = user.readUInt32LE(CURRENT_EDIT)
  const objects = directoryOf(stream, stream.readUInt32LE(edit + DIRECTORY_AT))
  const session = objects.get(stream.readUInt32LE(edit + CRYPT_SESSION_ID))
  if (session === undefined) return null
  const key = legacyKeys(recordAt(stream, session).subarray(8), password)
  if (key === null) return null
  const out = Buffer.from(stream)
  for (const [id, at] of objects) {
    if ([USER_EDIT, DIRECTORY, CRYPT_SESSION].includes(stream.readUInt16LE(at + 2))) continue
    // The record header, with the length, is encrypted too.
    const head = Buffer.from(stream.subarray(at, at + 8))
    new Rc4(key(id)).apply(head)
    new Rc4(key(id)).apply(out.subarray(at, at + 8 + head.readUInt32LE(4)))
  }
  recordAt(out, session).fill(0)
  out.writeUInt32LE(PLAIN_EDIT_BYTES, edit + 4)
  const plainUser = Buffer.from(user)
  plainUser.writeUInt32LE(PLAIN_TOKEN, HEADER_TOKEN)
  return new Map([
    ['Current User', plainUser],
    ['PowerPoint Document', out],
  ])
}

const recordAt = (stream: Buffer, at: number): Buffer => stream.subarray(at, at + 8 + stream.readUInt32LE(at + 4))

/** Returns the offsets of a presentation's objects by number ([MS-PPT] 2.3.4). */
function directoryOf(stream: Buffer, at: number): ReadonlyMap<number, number> {
  const found = new Map<number, number>()
  const entries = recordAt(stream, at).subarray(8)
  for (let entry = 0; entry + 4 <= entries.length;) {
    const packed = entries.readUInt32LE(entry)
    const [first, count] = [packed & 0xfffff, packed >>> 20]
    entry += 4
    for (let index = 0; index < count; index += 1, entry += 4) found.set(first + index, entries.readUInt32LE(entry))
  }
  return found
}
