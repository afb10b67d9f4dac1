import { readFile } from 'node:fs/promises'
import { encodingExists } from 'iconv-lite'
import MsgReaderModule, { type FieldsData } from '@kenjiuno/msgreader'
import { decodeBody } from './body-text.ts'
import { type Attachment, type Mail, type MailHeader, type PartsFile, shownIn, skipOfPart } from './mail.ts'
import { partName } from './part-name.ts'
import { withMarkedHistory } from './quoted-history.ts'
import { markdownOfBody } from './raw-body.ts'
import { isoDate } from './read-mime.ts'

/* The package is CommonJS with `exports.default`. */
const MsgReader = MsgReaderModule.default

/** Reads a message of Outlook (MS-OXMSG). Null for a compound file that is no message. */
export async function readMsg(path: string, parts: PartsFile): Promise<Mail | null> {
  const bytes = await readFile(path)
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
  const reader = new MsgReader(file)
  reader.parserConfig = { ansiEncoding: ansiEncodingOf(new MsgReader(file).getFileData()) }
  const fields = reader.getFileData()
  if (fields.dataType !== 'msg' || fields.error !== undefined) return null
  const html = htmlOf(fields)
  const shown = new Set(html === null ? [] : shownIn(html))
  const attachments = (fields.attachments ?? []).map((attachment, index): Attachment => {
    const { fileName, content } = reader.getAttachment(index)
    const range = parts.add(content)
    const isMessage = attachment.innerMsgContent === true
    const mediaType = attachment.attachMimeTag ?? ''
    const known = isMessage ? `${attachment.name ?? 'message'}.msg` : (attachment.fileName ?? fileName)
    const ids = attachment.pidContentId === undefined ? [] : [attachment.pidContentId]
    const isPicture = mediaType.startsWith('image/') || /\.(?:png|jpe?g|gif|bmp)$/i.test(known)
    const skip = skipOfPart({ mediaType: isPicture ? 'image/' : mediaType, ids, bytes: range.bytes }, shown)
    return { ...range, name: partName(index + 1, known, mediaType), skip }
  })
  const body = await markdownOfBody({ html, text: fields.body ?? null, rtf: fields.compressedRtf ?? null })
  const subject = (fields.subject ?? '').trim()
  return { headers: headersOf(fields, subject), subject, body: withMarkedHistory(body), attachments, notes: [] }
}

/** Languages (MS-LCID, without their region) whose Windows code page is not 1252. */
const ANSI_ENCODINGS: Readonly<Record<number, string>> = {
  0x01: 'windows-1256',
  0x02: 'windows-1251',
  0x05: 'windows-1250',
  0x08: 'windows-1253',
  0x0d: 'windows-1255',
  0x0e: 'windows-1250',
  0x11: 'shift_jis',
  0x12: 'cp949',
  0x15: 'windows-1250',
  0x18: 'windows-1250',
  0x19: 'windows-1251',
  0x1a: 'windows-1250',
  0x1b: 'windows-1250',
  0x1e: 'windows-874',
  0x1f: 'windows-1254',
  0x22: 'windows-1251',
  0x23: 'windows-1251',
  0x24: 'windows-1250',
  0x25: 'windows-1257',
  0x26: 'windows-1257',
  0x27: 'windows-1257',
  0x29: 'windows-1256',
  0x2a: 'windows-1258',
  0x2f: 'windows-1251',
}

const CHINESE = 0x04
/** Taiwan, Hong Kong, Macao. */
const TRADITIONAL: ReadonlySet<number> = new Set([0x0404, 0x0c04, 0x1404])

/** Encoding of the texts of a message without Unicode: its code page, else that of its locale. */
function ansiEncodingOf({ messageCodepage, messageLocaleId = 0 }: FieldsData): string {
  const named = CODE_PAGES[messageCodepage ?? 0] ?? `windows-${messageCodepage}`
  if (encodingExists(named)) return named
  const language = messageLocaleId & 0x3ff
  if (language === CHINESE) return TRADITIONAL.has(messageLocaleId) ? 'big5' : 'gbk'
  return ANSI_ENCODINGS[language] ?? 'windows-1252'
}

function htmlOf({ bodyHtml, html, internetCodepage }: FieldsData): string | null {
  if (bodyHtml !== undefined && bodyHtml.trim() !== '') return bodyHtml
  if (html === undefined) return null
  const charset =
    internetCodepage === undefined ? null : (CODE_PAGES[internetCodepage] ?? `windows-${internetCodepage}`)
  return decodeBody(Buffer.from(html), charset)
}

/** Code pages that the Encoding Standard calls otherwise. */
const CODE_PAGES: Readonly<Record<number, string>> = {
  65001: 'utf-8',
  20127: 'us-ascii',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  20866: 'koi8-r',
  28591: 'iso-8859-1',
  28592: 'iso-8859-2',
  28605: 'iso-8859-15',
  50220: 'iso-2022-jp',
  51932: 'euc-jp',
  54936: 'gb18030',
}

function headersOf(fields: FieldsData, subject: string): MailHeader[] {
  const of = (kind: string): string =>
    (fields.recipients ?? [])
      .filter(({ recipType }) => recipType === kind)
      .map((recipient) => called(recipient.name, recipient.smtpAddress ?? recipient.email))
      .join(', ')
  const date = fields.clientSubmitTime ?? fields.messageDeliveryTime ?? fields.creationTime ?? ''
  const sender = fields.senderSmtpAddress ?? fields.sentRepresentingSmtpAddress ?? fields.senderEmail
  return [
    { name: 'From', value: called(fields.senderName, sender) },
    { name: 'To', value: of('to') },
    { name: 'Cc', value: of('cc') },
    { name: 'Bcc', value: of('bcc') },
    { name: 'Date', value: isoDate(date) },
    { name: 'Subject', value: subject },
  ].filter(({ value }) => value !== '')
}

/** An address of Exchange (`/O=…`) names a directory entry, which means nothing outside of it. */
function called(name = '', address = ''): string {
  const shown = address.startsWith('/') ? '' : address
  if (shown === '') return name
  return name === '' || name === shown ? shown : `${name} <${shown}>`
}
