import { decodeBody } from './body-text.ts'
import type { RawBody } from './raw-body.ts'

/** Content of a winmail.dat. */
export interface Tnef extends RawBody {
  readonly attachments: readonly { readonly name: string; readonly bytes: Uint8Array }[]
}

const SIGNATURE = 0x223e9f78

/** Attributes (MS-OXTNEF 2.1.3.1), without their type. */
const RENDER_DATA = 0x9002
const MAPI_PROPERTIES = 0x9003
const ATTACHMENT_PROPERTIES = 0x9005
const ATTACHMENT_DATA = 0x800f
const ATTACHMENT_TITLE = 0x8010
const BODY = 0x800c
const CODE_PAGE = 0x9007

/** Properties (MS-OXPROPS). */
const PR_BODY = 0x1000
const PR_RTF_COMPRESSED = 0x1009
const PR_HTML = 0x1013
const PR_ATTACH_DATA = 0x3701
const PR_ATTACH_LONG_FILENAME = 0x3707

interface Held {
  title: string
  longName: string
  data: Uint8Array
}

/** Reads a winmail.dat (MS-OXTNEF). Null for a file that is none, or that is cut off. */
export function readTnef(bytes: Buffer): Tnef | null {
  try {
    return bytes.length >= 6 && bytes.readUInt32LE(0) === SIGNATURE ? attributesOf(bytes) : null
  } catch (error) {
    // The file ends within an attribute.
    if (error instanceof RangeError) return null
    throw error
  }
}

function attributesOf(bytes: Buffer): Tnef {
  const held: Held[] = []
  const body: { html: string | null; text: string | null; rtf: Uint8Array | null } = {
    html: null,
    text: null,
    rtf: null,
  }
  let charset = 'windows-1252'
  for (let at = 6; at < bytes.length;) {
    const id = bytes.readUInt16LE(at + 1)
    const length = bytes.readUInt32LE(at + 5)
    if (at + 9 + length > bytes.length) throw new RangeError('an attribute is longer than the file')
    const data = bytes.subarray(at + 9, at + 9 + length)
    at += 9 + length + 2
    const last = held.at(-1)
    if (id === CODE_PAGE) charset = `windows-${data.readUInt32LE(0)}`
    else if (id === RENDER_DATA) held.push({ title: '', longName: '', data: Buffer.alloc(0) })
    else if (id === BODY) body.text = decodeBody(withoutZeros(data), charset)
    else if (id === ATTACHMENT_TITLE && last !== undefined) last.title = decodeBody(withoutZeros(data), charset)
    else if (id === ATTACHMENT_DATA && last !== undefined) last.data = data
    else if (id === ATTACHMENT_PROPERTIES && last !== undefined) {
      for (const { id: property, value } of propertiesOf(data)) {
        if (property === PR_ATTACH_LONG_FILENAME) last.longName = value.text(charset)
        // An embedded object starts with the 16 bytes of its interface.
        else if (property === PR_ATTACH_DATA && last.data.length === 0)
          last.data = value.bytes.subarray(value.isObject ? 16 : 0)
      }
    } else if (id === MAPI_PROPERTIES) {
      for (const { id: property, value } of propertiesOf(data)) {
        if (property === PR_BODY) body.text = value.text(charset)
        else if (property === PR_HTML) body.html = decodeBody(value.bytes, charset)
        else if (property === PR_RTF_COMPRESSED) body.rtf = value.bytes
      }
    }
  }
  const attachments = held.map(({ title, longName, data }) => ({ name: named(longName || title, data), bytes: data }))
  return { ...body, attachments }
}

/** An embedded message is a TNEF stream of its own. */
const named = (name: string, data: Uint8Array): string =>
  data.length >= 4 && Buffer.from(data).readUInt32LE(0) === SIGNATURE && !/\.dat$/i.test(name)
    ? `${name || 'message'}.dat`
    : name

const withoutZeros = (bytes: Buffer): Buffer => {
  const end = bytes.indexOf(0)
  return end < 0 ? bytes : bytes.subarray(0, end)
}

interface Value {
  readonly bytes: Buffer
  readonly isObject: boolean
  text(charset: string): string
}

/** Sizes in bytes of fixed values, padded to four (MS-OXCDATA 2.11.1). */
const FIXED: Readonly<Record<number, number>> = {
  0x02: 4,
  0x03: 4,
  0x04: 4,
  0x05: 8,
  0x06: 8,
  0x07: 8,
  0x0a: 4,
  0x0b: 4,
  0x14: 8,
  0x40: 8,
  0x48: 16,
}
const STRING8 = 0x1e
const UNICODE = 0x1f
const OBJECT = 0x0d
const MULTIPLE = 0x1000

const padded = (length: number): number => (length + 3) & ~3

/** Properties of a list (MS-OXTNEF 2.1.3.4). It ends at a value of an unknown type, whose length is unknown. */
function* propertiesOf(data: Buffer): Generator<{ readonly id: number; readonly value: Value }> {
  let at = 4
  for (let left = data.readUInt32LE(0); left > 0; left--) {
    const type = data.readUInt16LE(at)
    const id = data.readUInt16LE(at + 2)
    at += 4
    if (id >= 0x8000) at += 20 + (data.readUInt32LE(at + 16) === 1 ? 4 + padded(data.readUInt32LE(at + 20)) : 4)
    const base = type & ~MULTIPLE
    const size = FIXED[base]
    const isList = (type & MULTIPLE) !== 0 || size === undefined
    const values = isList ? data.readUInt32LE(at) : 1
    if (isList) at += 4
    for (let index = 0; index < values; index++) {
      const length = size ?? data.readUInt32LE(at)
      if (size === undefined) at += 4
      if (at + length > data.length) throw new RangeError('a property is longer than its list')
      yield { id, value: valueOf(data.subarray(at, at + length), base) }
      at += padded(length)
    }
  }
}

const valueOf = (bytes: Buffer, type: number): Value => ({
  bytes,
  isObject: type === OBJECT,
  text: (charset) => {
    if (type === UNICODE) return bytes.toString('utf16le').replace(/\0.*$/s, '')
    return type === STRING8 ? decodeBody(withoutZeros(bytes), charset) : ''
  },
})
