import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { Random } from '../../support/random.ts'
import { errorReply, type Reply } from '../../support/scripted-service.ts'

/*
 * Answers drawn from a seed: status, shape, headers, encodings, missing parts. Each kind has its rows in docs/reference/contract.md
 * ("What becomes of a document").
 */

export type Which = 'one' | 'every third' | 'all'

export interface Draw {
  readonly kind: string
  readonly which: Which
  /** Documents that the answer is for; the others are answered well. */
  readonly isMeant: (document: number) => boolean
  readonly concurrency: number
  /** The answer to a request for a document, which is the `time`-th for it, from 1. */
  readonly answer: (document: number, time: number) => Reply
  /** Of one document that is charged. */
  readonly credits: number
  readonly name: string
}

export const DOCUMENTS = 9

export function drawAnswers(seed: number): Draw {
  const random = new Random(seed)
  const [kind, { which: among, draw }] = random.pick(Object.entries(KINDS))
  const which = random.pick(among)
  const [name, answer] = draw(random)
  const target = random.below(DOCUMENTS)
  return {
    kind,
    which,
    isMeant: (document) => which === 'all' || (which === 'one' ? document === target : document % 3 === target % 3),
    concurrency: 1 + random.below(4),
    answer,
    credits: 1,
    name: `${seed}: ${kind} (${name}), ${which}`,
  }
}

/** An answer that is well, and reports no credits. */
export const wellReply = (document: number): Reply => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: { success: true, data: { markdown: `# Number ${document}\n`, metadata: { statusCode: 200 } } },
})

type Answer = (document: number, time: number) => Reply
type Named = readonly [name: string, answer: Answer]

interface Kind {
  readonly which: readonly Which[]
  readonly draw: (random: Random) => Named
}

const ANY: readonly Which[] = ['one', 'every third', 'all']
const SOME: readonly Which[] = ['one', 'every third']

const of =
  (names: Readonly<Record<string, Answer>>) =>
  (random: Random): Named =>
    random.pick(Object.entries(names))

const json = (body: object, more: Partial<Reply> = {}): Reply => ({ status: 200, body, ...more })
const text = (body: string | Buffer, headers: Record<string, string> = {}, status = 200): Reply => ({
  status,
  body,
  headers,
})
const data = (document: number, more: object = {}): object => ({ markdown: `# Grüße ${document}\n`, ...more })
const whole = (document: number, more: object = {}): string =>
  JSON.stringify({ success: true, data: data(document, more) })
const packed =
  (encoding: string, pack: (body: Buffer) => Buffer): Answer =>
  (document) =>
    text(pack(Buffer.from(whole(document))), { 'content-encoding': encoding, 'content-type': 'application/json' })
const charset =
  (name: string, encoding: BufferEncoding): Answer =>
  (document) =>
    text(Buffer.from(whole(document), encoding), { 'content-type': `application/json; charset=${name}` })
const html = (status: number, title: string): Reply =>
  text(
    `<html><head><title>${title}</title></head><body>${title}</body></html>`,
    { 'content-type': 'text/html' },
    status,
  )

const WHOLE: Readonly<Record<string, Answer>> = {
  plain: (document) => text(whole(document)),
  'with a BOM': (document) => text(`\uFEFF${whole(document)}`),
  gzip: packed('gzip', gzipSync),
  deflate: packed('deflate', deflateSync),
  br: packed('br', brotliCompressSync),
  zstd: packed('zstd', zstdCompressSync),
  'gzip, then br': packed('gzip, br', (body) => brotliCompressSync(gzipSync(body))),
  'gzip twice': packed('GZIP,x-gzip', (body) => gzipSync(gzipSync(body))),
  'ISO 8859-1': charset('iso-8859-1', 'latin1'),
  'UTF-16': charset('UTF-16LE', 'utf16le'),
  'UTF-8 under another name': charset('windows-1252', 'utf8'),
  'without success': (document) => json({ data: data(document) }),
  'with unknown fields': (document) => json({ success: true, id: 7, warning: [], data: data(document, { new: [1] }) }),
  'with nulls': (document) =>
    json({ success: true, data: data(document, { pages: null, blocks: null, metadata: null }) }),
  '201': (document) => ({ ...text(whole(document)), status: 201 }),
  'as another type': (document) => text(whole(document), { 'content-type': 'text/html' }),
}

const INCOMPLETE: Readonly<Record<string, Answer>> = {
  NaN: (document) => text(`{"success":true,"data":{"markdown":"# ${document}","metadata":{"score":NaN}}}`),
  'invalid UTF-8': (document) =>
    text(
      Buffer.concat([Buffer.from(`{"data":{"markdown":"# ${document} `), Buffer.of(0xc3, 0x28), Buffer.from('"}}')]),
    ),
  'a warning': (document) => json({ success: true, data: data(document, { warning: 'cut off' }) }),
  'a warning beside it': (document) => json({ success: true, warning: 'cut off', data: data(document) }),
  'several warnings': (document) => json({ success: true, warning: ['one', 'two'], data: data(document) }),
  '206': (document) => ({ ...text(whole(document)), status: 206 }),
  'an error of the page': (document) => json({ data: data(document, { metadata: { error: 'time-out' } }) }),
  'another format': () => json({ success: true, data: { html: '<p>a' } }),
  'fewer pages than there are': (document) =>
    json({ data: data(document, { metadata: { numPages: '3', totalPages: '9' } }) }),
  'no output': () => json({ success: true, data: { metadata: {} } }),
}

/** By document, and the same each time. */
const UNUSABLE: Readonly<Record<string, Answer>> = {
  'cut off': (document) => text(whole(document).slice(0, -4)),
  'a list': (document) => text(`[${document}]`),
  'another object': (document) => json({ status: 'ok', number: document }),
  'no document': (document) => json({ success: true, data: [document] }),
  'damaged gzip': (document) => text(`no gzip ${document}`, { 'content-encoding': 'gzip' }),
  'an unknown encoding': (document) => text(`${document}`, { 'content-encoding': 'compress' }),
  'HTML of the document': (document) => html(200, `Number ${document}`),
  '202 with an id': (document) => ({ ...json({ success: true, id: `job-${document}` }), status: 202 }),
}

const SHARED: Readonly<Record<string, Answer>> = {
  'a login page': () => html(200, 'Log in'),
  nothing: () => text(''),
  null: () => json({ success: true, data: null }),
  number: () => text('42'),
}

const CHANGING: Readonly<Record<string, Answer>> = {
  'a page with the time': (document, time) => html(200, `Number ${document}, ${time}`),
  'another id each time': (document, time) => json({ success: true, id: `${document}-${time}` }),
}

const REFUSED: Readonly<Record<string, Answer>> = {
  ...Object.fromEntries(
    [400, 403, 404, 405, 407, 409, 410, 418, 421, 431, 451, 511].map((status) => [
      `${status} in HTML`,
      () => html(status, 'No'),
    ]),
  ),
  ...Object.fromEntries(
    [400, 403, 404, 406, 409, 428].map((status) => [`${status} in JSON`, () => errorReply(status, 'No')]),
  ),
  '400 in plain text': () => text('Bad request', { 'content-type': 'text/plain' }, 400),
  '400 without a body': () => text('', {}, 400),
  '400 of FastAPI': () => ({ status: 400, body: { detail: [{ loc: ['body'], msg: 'field required' }] } }),
  '302 to a login page': () => text('', { location: 'http://127.0.0.1:9/login' }, 302),
  '307': () => text('', { location: '/v3/parse' }, 307),
  'a new code': () => errorReply(400, 'No', { code: 'A_CODE_OF_2027' }),
  'options that are refused': () => errorReply(400, 'No', { code: 'PARSE_UNSUPPORTED_OPTIONS' }),
}

const OWN: Readonly<Record<string, Answer>> = {
  ...Object.fromEntries([413, 415, 422].map((status) => [`${status}`, () => errorReply(status, 'No')])),
  '413 in HTML': () => html(413, 'Request Entity Too Large'),
  ...Object.fromEntries(
    ['UNSUPPORTED_FILE_TYPE', 'DOCUMENT_ENCRYPTED', 'DOCUMENT_CORRUPT', 'SCRAPE_ZDR_VIOLATION_ERROR'].map((code) => [
      code,
      () => errorReply(400, 'No', { code }),
    ]),
  ),
  '500 with a code': () => errorReply(500, 'No', { code: 'SCRAPE_PDF_ANTIBOT_ERROR' }),
  'details of the file': () => errorReply(400, 'Bad Request', { details: [{ path: ['file'], message: 'empty' }] }),
}

const ACCOUNT: Readonly<Record<string, Answer>> = {
  '401': () => errorReply(401, 'Unauthorized: Invalid token'),
  '402': () => errorReply(402, 'Payment required'),
  '401 in HTML': () => html(401, 'Unauthorized'),
}

const once =
  (reply: Reply): Answer =>
  (document, time) =>
    time === 1 ? reply : wellReply(document)

const PASSING: Readonly<Record<string, Answer>> = {
  ...Object.fromEntries(
    [425, 500, 501, 502, 503, 505, 507, 509, 520, 599].map((status) => [`${status}`, once(errorReply(status, 'No'))]),
  ),
  '500 in HTML': once(html(500, 'Oops')),
  '429': once({ ...errorReply(429, 'Rate limit exceeded'), headers: { 'retry-after': '0.2' } }),
}

const CUT: Readonly<Record<string, Answer>> = {
  'in the answer': once({ fault: 'reset_middle' }),
  'after the request': once({ fault: 'reset_after' }),
}

const KINDS: Readonly<Record<string, Kind>> = {
  whole: { which: ANY, draw: of(WHOLE) },
  incomplete: { which: ANY, draw: of(INCOMPLETE) },
  unusable: { which: ANY, draw: of(UNUSABLE) },
  'unusable, one body for several': { which: ['every third', 'all'], draw: of(SHARED) },
  'unusable, another body each time': { which: ANY, draw: of(CHANGING) },
  refused: { which: ANY, draw: of(REFUSED) },
  'own code or status': { which: ANY, draw: of(OWN) },
  'key or credits': { which: ANY, draw: of(ACCOUNT) },
  'passing failure, once': { which: SOME, draw: of(PASSING) },
  'line cut, once': { which: SOME, draw: of(CUT) },
}
