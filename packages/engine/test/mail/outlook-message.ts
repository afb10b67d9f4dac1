import { encode } from 'iconv-lite'
import { burn } from '@kenjiuno/msgreader/lib/Burner.js'
import { TypeEnum } from '@kenjiuno/msgreader/lib/Reader.js'

/** Content of a message of Outlook (MS-OXMSG) that a test builds. */
export interface OutlookMessage {
  readonly subject?: string
  readonly body?: string
  readonly html?: Buffer
  /** Body as RTF. */
  readonly rtf?: string
  /** Stores subject and body in this encoding, of the locale with this id, instead of Unicode. */
  readonly ansi?: { readonly encoding: string; readonly locale: number }
  readonly sender?: { readonly name: string; readonly address: string }
  readonly to?: readonly { readonly name: string; readonly address: string }[]
  readonly attachments?: readonly (
    | { readonly name: string; readonly bytes: Buffer; readonly contentId?: string }
    | { readonly name: string; readonly message: OutlookMessage }
  )[]
}

type Folder = { readonly [name: string]: Buffer | Folder }

/** Kinds of entries of a compound file (MS-CFB 2.6.1). */
const { DIRECTORY, DOCUMENT, ROOT } = TypeEnum

const UNICODE = '001F'
const ANSI = '001E'
const BINARY = '0102'
const OBJECT = '000D'

const text = (id: string, value: string | undefined): Folder =>
  value === undefined ? {} : { [`__substg1.0_${id}${UNICODE}`]: Buffer.from(value, 'utf16le') }

const number8 = (value: number): string => value.toString(16).toUpperCase().padStart(8, '0')

/** Fixed properties follow a header of 32 bytes at the root, 24 in an embedded message, 8 elsewhere. */
function properties(header: number, fixed: readonly (readonly [id: number, type: number, value: number])[]): Folder {
  const entries = fixed.map(([id, type, value]) => {
    const entry = Buffer.alloc(16)
    entry.writeUInt16LE(type, 0)
    entry.writeUInt16LE(id, 2)
    entry.writeUInt32LE(6, 4)
    entry.writeUInt32LE(value, 8)
    return entry
  })
  return { '__properties_version1.0': Buffer.concat([Buffer.alloc(header), ...entries]) }
}

function messageFolder(message: OutlookMessage, isRoot: boolean): Folder {
  const { subject, body, html, rtf, ansi, sender, to = [], attachments = [] } = message
  const own = (id: string, value: string | undefined): Folder =>
    ansi === undefined || value === undefined
      ? text(id, value)
      : { [`__substg1.0_${id}${ANSI}`]: encode(value, ansi.encoding) }
  const recipients = to.map(({ name, address }, at) => ({
    [`__recip_version1.0_#${number8(at)}`]: {
      ...properties(8, [[0x0c15, 3, 1]]),
      ...text('3001', name),
      ...text('39FE', address),
    },
  }))
  const parts = attachments.map((part, at) => ({
    [`__attach_version1.0_#${number8(at)}`]:
      'message' in part
        ? {
            ...properties(8, [[0x3705, 3, 5]]),
            ...text('3001', part.name),
            [`__substg1.0_3701${OBJECT}`]: messageFolder(part.message, false),
          }
        : {
            ...properties(8, [[0x3705, 3, 1]]),
            ...text('3707', part.name),
            ...text('3712', part.contentId),
            [`__substg1.0_3701${BINARY}`]: part.bytes,
          },
  }))
  return Object.assign(
    {},
    properties(isRoot ? 32 : 24, ansi === undefined ? [] : [[0x3ff1, 3, ansi.locale]]),
    text('001A', 'IPM.Note'),
    own('0037', subject),
    own('1000', body),
    rtf === undefined ? {} : { [`__substg1.0_1009${BINARY}`]: uncompressedRtf(rtf) },
    html === undefined ? {} : { [`__substg1.0_1013${BINARY}`]: html },
    text('0C1A', sender?.name),
    text('5D01', sender?.address),
    ...recipients,
    ...parts,
  ) as Folder
}

/** The container of RTF without compression (MS-OXRTFCP 2.1.3.1). */
function uncompressedRtf(rtf: string): Buffer {
  const head = Buffer.alloc(16)
  head.writeUInt32LE(rtf.length + 12, 0)
  head.writeUInt32LE(rtf.length, 4)
  head.write('MELA', 8, 'latin1')
  return Buffer.concat([head, Buffer.from(rtf, 'latin1')])
}

/** Builds the bytes of a `.msg` file. */
export function outlookMessage(message: OutlookMessage): Buffer {
  const entries: Parameters<typeof burn>[0] = []
  const add = (name: string, content: Buffer | Folder, type: TypeEnum): number => {
    const at = entries.length
    const isFile = Buffer.isBuffer(content)
    const children: number[] = []
    entries.push(
      isFile
        ? { name, type, length: content.length, binaryProvider: () => Uint8Array.from(content) }
        : { name, type, length: 0, children },
    )
    if (isFile) return at
    for (const [child, value] of Object.entries(content)) {
      children.push(add(child, value, Buffer.isBuffer(value) ? DOCUMENT : DIRECTORY))
    }
    return at
  }
  add('Root Entry', messageFolder(message, true), ROOT)
  return Buffer.from(burn(entries))
}
