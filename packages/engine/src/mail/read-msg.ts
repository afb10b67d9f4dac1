import { readFile } from 'node:fs/promises'
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
  const reader = new MsgReader(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
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
