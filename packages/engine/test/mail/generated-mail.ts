import { encode } from 'iconv-lite'
import type { Random } from '../../../../test/support/random.ts'

/** A generated message with its truth. */
export interface GeneratedMail {
  readonly raw: Buffer
  /** Words of the body, in order. */
  readonly words: readonly string[]
  readonly from: string
  readonly to: string
  readonly subject: string
  /** Content of the attachments, in order; a forwarded message is one. */
  readonly attachments: readonly Buffer[]
  /** Number of pictures that only decorate the HTML body. */
  readonly pictures: number
}

interface Alphabet {
  readonly charset: string
  readonly words: readonly string[]
}

const LATIN = ['report', 'invoice', 'Zürich', 'señal', 'déjà', 'meeting', 'naïve', 'Straße', 'total', '2024', 'año']
const ALPHABETS: readonly Alphabet[] = [
  { charset: 'utf-8', words: [...LATIN, 'Привет', '会議', '報告', 'Ελλάδα', 'תודה', 'žluťoučký'] },
  { charset: 'iso-8859-1', words: LATIN },
  { charset: 'iso-8859-15', words: LATIN },
  { charset: 'windows-1252', words: LATIN },
  { charset: 'us-ascii', words: ['report', 'invoice', 'meeting', 'total', '2024', 'minutes'] },
  { charset: 'iso-8859-2', words: ['žluťoučký', 'kůň', 'łódź', 'report'] },
  { charset: 'koi8-r', words: ['Привет', 'отчёт', 'встреча', 'report'] },
  { charset: 'windows-1251', words: ['Привет', 'отчёт', 'встреча', 'report'] },
  { charset: 'shift_jis', words: ['会議', '報告書', 'テスト', 'report'] },
  { charset: 'iso-2022-jp', words: ['会議', '報告書', 'テスト', 'report'] },
  { charset: 'euc-jp', words: ['会議', '報告書', 'テスト', 'report'] },
  { charset: 'gb18030', words: ['会议', '报告', '测试', 'report'] },
  { charset: 'big5', words: ['會議', '報告', '測試', 'report'] },
  { charset: 'euc-kr', words: ['회의', '보고서', '시험', 'report'] },
]

/** Encodings that only Japanese mails use are not in iconv-lite. */
const encodable = (charset: string, text: string): Buffer =>
  charset === 'iso-2022-jp' ? jis(text) : encode(text, charset)

/** ISO-2022-JP from EUC-JP: the escape sequences switch between ASCII and JIS X 0208. */
function jis(text: string): Buffer {
  const parts: Buffer[] = []
  for (const piece of text.match(/[\u0000-\u007f]+|[^\u0000-\u007f]+/g) ?? []) {
    const isAscii = piece.charCodeAt(0) < 0x80
    const bytes = encode(piece, 'euc-jp').map((byte) => byte & 0x7f)
    parts.push(isAscii ? Buffer.from(piece) : Buffer.concat([Buffer.from('\u001b$B'), bytes, Buffer.from('\u001b(B')]))
  }
  return Buffer.concat(parts)
}

const quotedPrintable = (bytes: Buffer): string => {
  let line = ''
  let text = ''
  for (const byte of bytes) {
    if (byte === 0x0a) {
      text += `${line}\r\n`
      line = ''
      continue
    }
    const safe = byte > 0x20 && byte < 0x7f && byte !== 0x3d
    const piece = safe ? String.fromCharCode(byte) : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`
    if (line.length + piece.length > 75) {
      text += `${line}=\r\n`
      line = ''
    }
    line += piece
  }
  return text + line
}

const base64Lines = (bytes: Buffer): string => (bytes.toString('base64').match(/.{1,76}/g) ?? []).join('\r\n')

const TRANSFERS = ['8bit', 'quoted-printable', 'base64'] as const

/** A part: its headers, and its body as bytes. */
interface Part {
  readonly headers: readonly string[]
  readonly body: Buffer
}

const lines = (...all: readonly string[]): Buffer => Buffer.from(all.join('\r\n'), 'latin1')

export class MailGenerator {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  mail(depth = 0): GeneratedMail {
    const alphabet = this.#random.pick(ALPHABETS)
    const body = this.#sentence(alphabet, 5 + this.#random.below(60))
    const attachments: Buffer[] = []
    const shape = this.#random.below(8)
    let pictures = 0
    let root: Part
    if (shape === 0) root = this.#text('plain', alphabet, body)
    else if (shape === 1) root = this.#text('html', alphabet, body)
    else {
      const plain = this.#text('plain', alphabet, body)
      const withPicture = this.#random.below(3) === 0
      const cid = `logo${this.#random.below(1e6)}@mail`
      let html = this.#text('html', alphabet, body, withPicture ? cid : null)
      if (withPicture) {
        pictures = 1
        html = this.#multipart('related', [html, this.#picture(cid)])
      }
      const text =
        this.#random.below(2) === 0 ? this.#multipart('alternative', [plain, html]) : withPicture ? html : plain
      const parts = Array.from({ length: this.#random.below(5) }, () => this.#attachment(depth, attachments))
      root = parts.length === 0 ? text : this.#multipart('mixed', [text, ...parts])
    }
    const names = this.#random.below(4) === 0 ? ALPHABETS[0]! : alphabet
    const person = (): readonly [string, string] => [
      this.#sentence(names, 2),
      `${this.#random.pick(['ann', 'b.lee', 'x+tag', 'o_k'])}@${this.#random.pick(['example.org', 'mail.example.com', 'xn--bcher-kva.example'])}`,
    ]
    const from = person()
    const to = Array.from({ length: 1 + this.#random.below(3) }, person)
    const subject = this.#sentence(names, 1 + this.#random.below(8))
    const shown = ([name, at]: readonly [string, string]): string => `${name} <${at}>`
    const written = ([name, at]: readonly [string, string]): string => `${this.#word(name, names)} <${at}>`
    const headers = [
      'Received: from a by b; Tue, 5 Mar 2024 10:00:00 +0000',
      `From: ${written(from)}`,
      `To: ${to.map(written).join(',\r\n ')}`,
      `Subject: ${this.#word(subject, names)}`,
      'Date: Tue, 5 Mar 2024 10:00:00 +0100',
      'MIME-Version: 1.0',
      ...root.headers,
    ]
    const raw = Buffer.concat([lines(...headers, '', ''), root.body])
    return {
      raw,
      words: wordsOf(body),
      from: shown(from),
      to: to.map(shown).join(', '),
      subject,
      attachments,
      pictures,
    }
  }

  #attachment(depth: number, attachments: Buffer[]): Part {
    const kind = this.#random.below(10)
    if (kind === 0 && depth < 3) {
      const { raw } = this.mail(depth + 1)
      attachments.push(raw)
      return { headers: ['Content-Type: message/rfc822', 'Content-Transfer-Encoding: 8bit'], body: raw }
    }
    if (kind === 1) {
      const held = [this.#random.bytes(1 + this.#random.below(300)), this.#random.bytes(this.#random.below(300))]
      attachments.push(...held)
      const data = tnef(held.map((bytes, at) => ({ name: `in tnef ${at}.pdf`, bytes })))
      return {
        headers: ['Content-Type: application/ms-tnef; name="winmail.dat"', 'Content-Transfer-Encoding: base64'],
        body: lines(base64Lines(data)),
      }
    }
    const bytes = this.#random.bytes(this.#random.below(3000))
    attachments.push(bytes)
    const name = `${this.#sentence(ALPHABETS[0]!, 1 + this.#random.below(3))}.pdf`
    const utf8 = encodeURIComponent(name).replace(/'/g, '%27')
    const disposition = this.#random.pick([
      `Content-Disposition: attachment; filename*=UTF-8''${utf8}`,
      `Content-Disposition: attachment;\r\n filename="${this.#encodedWord(name, 'utf-8', 'B')}"`,
      'Content-Disposition: attachment',
      `Content-Disposition: inline; filename="a b.pdf"`,
    ])
    return {
      headers: ['Content-Type: application/pdf', disposition, 'Content-Transfer-Encoding: base64'],
      body: lines(base64Lines(bytes)),
    }
  }

  #picture(cid: string): Part {
    return {
      headers: ['Content-Type: image/png; name=logo.png', `Content-ID: <${cid}>`, 'Content-Transfer-Encoding: base64'],
      body: lines(base64Lines(this.#random.bytes(200))),
    }
  }

  #text(kind: 'plain' | 'html', { charset }: Alphabet, body: string, cid: string | null = null): Part {
    const picture = cid === null ? '' : `<img src="cid:${cid}">`
    const text =
      kind === 'plain' ? body : `<html><body><p>${body.replaceAll('\n', '</p>\n<p>')}</p>${picture}</body></html>`
    const bytes = encodable(charset, text)
    const transfer = this.#random.pick(TRANSFERS)
    const encoded = {
      '8bit': () => bytes,
      base64: () => lines(base64Lines(bytes)),
      'quoted-printable': () => lines(quotedPrintable(bytes)),
    }
    return {
      headers: [
        `Content-Type: text/${kind}; charset=${this.#random.pick(['', '"'])}${charset}`.replace(/"(.*)$/, '"$1"'),
        `Content-Transfer-Encoding: ${transfer}`,
      ],
      body: encoded[transfer](),
    }
  }

  #multipart(kind: string, parts: readonly Part[]): Part {
    const boundary = `=_${this.#random.below(1e9).toString(36)}.${kind}`
    const pieces = parts.flatMap(({ headers, body }) => [lines('', `--${boundary}`, ...headers, '', ''), body])
    const end = this.#random.below(12) === 0 ? Buffer.alloc(0) : lines('', `--${boundary}--`, 'epilogue', '')
    return {
      headers: [`Content-Type: multipart/${kind};\r\n\tboundary="${boundary}"`],
      body: Buffer.concat([lines('This is a message in several parts.'), ...pieces, end]),
    }
  }

  #sentence({ words }: Alphabet, count: number): string {
    let text = ''
    for (let at = 0; at < count; at++) text += (at === 0 ? '' : at % 12 === 0 ? '\n' : ' ') + this.#random.pick(words)
    return text
  }

  #word(text: string, { charset }: Alphabet): string {
    const flat = text.replaceAll('\n', ' ')
    if (/^[\u0000-\u007f]*$/.test(flat)) return flat
    // An encoded word has at most 75 characters: one a word, the spaces inside.
    return flat
      .split(' ')
      .map((word, at) => this.#encodedWord(at === 0 ? word : ` ${word}`, charset, this.#random.pick(['B', 'Q'])))
      .join('\r\n ')
  }

  #encodedWord(text: string, charset: string, kind: 'B' | 'Q'): string {
    const bytes = encodable(charset, text)
    if (kind === 'B') return `=?${charset}?B?${bytes.toString('base64')}?=`
    const quoted = [...bytes].map((byte) =>
      /[A-Za-z0-9]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    return `=?${charset}?Q?${quoted.join('')}?=`
  }
}

export const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

/** A winmail.dat (MS-OXTNEF) with attachments. */
export function tnef(attachments: readonly { readonly name: string; readonly bytes: Buffer }[]): Buffer {
  const attribute = (level: number, id: number, data: Buffer): Buffer => {
    const head = Buffer.alloc(9)
    head.writeUInt8(level, 0)
    head.writeUInt32LE(id, 1)
    head.writeUInt32LE(data.length, 5)
    const sum = Buffer.alloc(2)
    sum.writeUInt16LE(data.reduce((total, byte) => (total + byte) & 0xffff, 0))
    return Buffer.concat([head, data, sum])
  }
  const signature = Buffer.alloc(6)
  signature.writeUInt32LE(0x223e9f78, 0)
  return Buffer.concat([
    signature,
    ...attachments.flatMap(({ name, bytes }) => [
      attribute(2, 0x00069002, Buffer.alloc(14)),
      attribute(2, 0x00018010, Buffer.from(`${name}\0`, 'latin1')),
      attribute(2, 0x0006800f, bytes),
    ]),
  ])
}
