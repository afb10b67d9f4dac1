import { pdfOf } from '../support/pdf-of.ts'
import { type Answer, docxWithFurniture, type FormatRow, type Upload, type VendorTarget } from './vendor-target.ts'

/* The statements themselves: one a line, so that a failure names the one that does not hold. */

export interface Statement {
  readonly name: string
  readonly holds: (target: VendorTarget) => Promise<boolean>
  /** Why this engine does not keep it, by design. */
  readonly notKept?: string
}

/** What the scripted language model says to a request: data where a schema was sent, a sentence otherwise. */
export const MODEL_ANSWERS = (body: string): { readonly content: string } => ({
  content: body.includes('heading') && body.includes('json_schema') ? '{"heading":"Uploaded page"}' : 'A short page.',
})

const DOCX_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const HTML: Upload = {
  content: '<!DOCTYPE html><html><body><h1>Uploaded page</h1><p>Sent as a part of a form.</p></body></html>',
  name: 'upload.html',
  type: 'text/html',
}
const PDF: Upload = { content: pdfOf(['First sheet', 'Second sheet']), name: 'upload.pdf', type: 'application/pdf' }
const DOCX: Upload = { content: docxWithFurniture(), name: 'upload.docx', type: DOCX_TYPE }
const EXE: Upload = { content: 'no document', name: 'upload.exe', type: 'application/x-msdownload' }
const PNG: Upload = { content: 'no document', name: 'upload.psd', type: 'image/vnd.adobe.photoshop' }

type Data = NonNullable<Answer['body']['data']>
type Check<T> = (value: T) => boolean

function data(name: string, upload: Upload, options: object, check: Check<Data>, notKept?: string): Statement {
  const holds = async (target: VendorTarget): Promise<boolean> => {
    const { body } = await target.parse(upload, options)
    return body.data !== undefined && check(body.data)
  }
  return notKept === undefined ? { name, holds } : { name, holds, notKept }
}

/** A refusal of an upload: its status, its code, and its text, one statement each. */
function refusal(
  name: string,
  upload: Upload | null,
  options: object | string,
  code: string,
  text: string,
): Statement[] {
  const holds = (check: Check<Answer>) => async (target: VendorTarget) => check(await target.parse(upload, options))
  return [
    {
      name: `${name} is answered with ${code}`,
      holds: holds(({ status, body }) => status === 400 && body.code === code),
    },
    { name: `${name} is answered with “${text}”`, holds: holds(({ body }) => body.error?.includes(text) === true) },
  ]
}

const markdown = (found: Data): string => String(found['markdown'])
const MARKDOWN = { formats: ['markdown'] }

const unsupported = (name: string, options: object, text: string): Statement[] =>
  refusal(name, HTML, { ...MARKDOWN, ...options }, 'PARSE_UNSUPPORTED_OPTIONS', text)

const UPLOADS: readonly Statement[] = [
  data('an HTML file becomes Markdown', HTML, MARKDOWN, (found) => markdown(found).includes('Uploaded page')),
  data('an HTML file costs one credit', HTML, MARKDOWN, ({ metadata }) => metadata?.['creditsUsed'] === 1),
  data('sourceURL is the file’s name', HTML, MARKDOWN, ({ metadata }) => metadata?.['sourceURL'] === 'upload.html'),
  data(
    'url is an https address of the service',
    HTML,
    MARKDOWN,
    ({ metadata }) => String(metadata?.['url']).startsWith('https://'),
    'an upload has no address on a server of this project: url is upload:///upload.html',
  ),
  data('a Word body becomes Markdown', DOCX, MARKDOWN, (found) => markdown(found).includes('The middle of it')),
  data('a Word header is in the Markdown', DOCX, MARKDOWN, (found) => markdown(found).includes('above')),
  data('a Word footer is in the Markdown', DOCX, MARKDOWN, (found) => markdown(found).includes('below')),
  data(
    'a Word header comes before the body',
    DOCX,
    MARKDOWN,
    (found) =>
      markdown(found).includes('above') && markdown(found).indexOf('above') < markdown(found).indexOf('middle'),
  ),
  data(
    'a Word footer comes after the body',
    DOCX,
    MARKDOWN,
    (found) => markdown(found).indexOf('below') > markdown(found).indexOf('middle'),
  ),
  data(
    'a Word header, body and footer come in order with onlyMainContent: false',
    DOCX,
    { ...MARKDOWN, onlyMainContent: false },
    (found) => /above[\s\S]*middle[\s\S]*below/.test(markdown(found)),
  ),
  data('a Word file costs one credit', DOCX, MARKDOWN, ({ metadata }) => metadata?.['creditsUsed'] === 1),
  data('a PDF becomes Markdown', PDF, { ...MARKDOWN, parsers: ['pdf'] }, (found) =>
    markdown(found).includes('First sheet'),
  ),
  data(
    'numPages states the pages of a PDF',
    PDF,
    { ...MARKDOWN, parsers: ['pdf'] },
    ({ metadata }) => metadata?.['numPages'] === 2,
  ),
  ...pageStatements(),
]

function pageStatements(): Statement[] {
  const options = { ...MARKDOWN, parsers: [{ type: 'pdf', mode: 'auto', pages: true }] }
  const pagesOf = (found: Data) => found['pages'] as readonly { pageNumber: unknown; markdown: unknown }[]
  return [
    data(
      'pages are as many as numPages',
      PDF,
      options,
      (found) => pagesOf(found).length === found.metadata?.['numPages'],
    ),
    data('pages are numbered from 1', PDF, options, (found) =>
      pagesOf(found).every(({ pageNumber }, index) => pageNumber === index + 1),
    ),
    data('each page has its Markdown', PDF, options, (found) =>
      pagesOf(found).every((page) => typeof page.markdown === 'string'),
    ),
    data('the whole Markdown is there beside the pages', PDF, options, (found) => markdown(found).includes('First')),
  ]
}

const SCHEMA = { type: 'object', properties: { heading: { type: 'string' } }, required: ['heading'] }
const JSON_FORMAT = { formats: ['markdown', { type: 'json', prompt: 'Name the heading', schema: SCHEMA }] }
const SUMMARY = { formats: ['markdown', { type: 'summary' }] }

const WRITTEN_BY_A_MODEL: readonly Statement[] = [
  data('json holds what the schema asks for', HTML, JSON_FORMAT, (found) => found['json'] !== undefined),
  data('json is not null', HTML, JSON_FORMAT, (found) => found['json'] !== null),
  data('a summary is there', HTML, SUMMARY, (found) => found['summary'] !== undefined),
  data('a summary is a text', HTML, SUMMARY, (found) => typeof found['summary'] === 'string'),
]

const REFUSALS: readonly Statement[] = [
  ...refusal('a request without a file', null, MARKDOWN, 'BAD_REQUEST', 'Missing file upload'),
  ...refusal('JSON that is cut off', HTML, '{invalid_json', 'BAD_REQUEST', 'Invalid JSON'),
  ...refusal('an array as options', HTML, '[]', 'BAD_REQUEST', 'must parse to a JSON object'),
  ...refusal('a number as options', HTML, '5', 'BAD_REQUEST', 'must parse to a JSON object'),
  ...refusal('null as options', HTML, 'null', 'BAD_REQUEST', 'must parse to a JSON object'),
  ...refusal('a program', EXE, MARKDOWN, 'UNSUPPORTED_FILE_TYPE', 'Unsupported upload type'),
  ...refusal('a picture', PNG, MARKDOWN, 'UNSUPPORTED_FILE_TYPE', 'Unsupported upload type'),
  ...unsupported('actions', { actions: [{ type: 'wait', milliseconds: 250 }] }, 'do not support actions'),
  ...unsupported(
    'changeTracking',
    { formats: ['markdown', { type: 'changeTracking' }] },
    'do not support change tracking',
  ),
  ...unsupported('waitFor', { waitFor: 1000 }, 'do not support waitFor'),
  ...unsupported('location', { location: { country: 'US' } }, 'do not support location'),
  ...unsupported('mobile', { mobile: true }, 'do not support mobile'),
  ...unsupported('another proxy', { proxy: 'stealth' }, 'proxy'),
  ...unsupported('screenshot', { formats: ['markdown', { type: 'screenshot' }] }, 'do not support screenshot'),
  ...unsupported('branding', { formats: ['markdown', { type: 'branding' }] }, 'do not support branding'),
]

const formats = (name: string, check: Check<readonly FormatRow[]>): Statement => ({
  name: `the list of formats ${name}`,
  holds: async (target) => check(await target.formats()),
})

const answered = (
  name: string,
  [method, path, key]: readonly [string, string, string?],
  check: Check<Answer>,
): Statement => ({
  name,
  holds: async (target) => check(await target.ask(method, path, key === undefined ? {} : { key })),
})

const PATH = '/v2/parse/formats'

const FORMATS: readonly Statement[] = [
  answered(
    'the list of formats is a success',
    ['GET', PATH],
    ({ status, body }) => status === 200 && body.success === true,
  ),
  answered('the list of formats may be cached', ['GET', PATH], ({ headers }) =>
    /max-age=/.test(headers.get('cache-control') ?? ''),
  ),
  formats('has pdf by its only extension', (rows) =>
    rows.some(({ format, kind, extensions }) => `${format} ${kind} ${extensions.join()}` === 'pdf document .pdf'),
  ),
  formats('has docx by its media type', (rows) =>
    rows.some(({ format, mimeTypes }) => format === 'docx' && mimeTypes.join() === DOCX_TYPE),
  ),
  formats('has png as an image', (rows) => rows.some(({ format, kind }) => format === 'png' && kind === 'image')),
  formats('has both spellings of jpg', (rows) =>
    rows.some(({ format, extensions }) => format === 'jpg' && extensions.join() === '.jpg,.jpeg'),
  ),
  formats('names an extension of each', (rows) => rows.every(({ extensions }) => extensions.length > 0)),
  formats('names a media type of each', (rows) => rows.every(({ mimeTypes }) => mimeTypes.length > 0)),
  formats('says of each whether it is available', (rows) => rows.every((row) => typeof row.available === 'boolean')),
  formats('has every document available', (rows) => rows.every(({ kind, available }) => kind === 'image' || available)),
  { name: 'the list of formats is what parse accepts', holds: acceptsWhatItLists },
  answered('another method is answered with 405', ['POST', PATH], ({ status }) => status === 405),
  answered(
    'another method is answered with METHOD_NOT_ALLOWED',
    ['POST', PATH],
    ({ body }) => body.code === 'METHOD_NOT_ALLOWED',
  ),
  answered(
    'a 405 names the methods that are allowed',
    ['POST', PATH],
    ({ body }) => body.allowed_methods?.join() === 'GET',
  ),
  answered(
    'an unknown key is answered with 401',
    ['GET', PATH, 'fc-invalid'],
    ({ status, body }) => status === 401 && body.success === false,
  ),
]

/** A format that parse refuses is asked for, so that nothing is converted: the type of the upload is judged before it. */
async function acceptsWhatItLists(target: VendorTarget): Promise<boolean> {
  const probes = (await target.formats()).flatMap(({ available, extensions, mimeTypes }) => [
    ...extensions.map((extension) => ({ available, name: `probe${extension}`, type: 'application/octet-stream' })),
    ...mimeTypes.map((type) => ({ available, name: 'probe', type })),
  ])
  const wrong = []
  for (const { available, name, type } of probes) {
    const { body } = await target.parse({ content: 'probe', name, type }, { formats: ['screenshot'] })
    if (body.code !== (available ? 'PARSE_UNSUPPORTED_OPTIONS' : 'UNSUPPORTED_FILE_TYPE'))
      wrong.push({ name, type, body })
  }
  if (wrong.length > 0) console.log(wrong)
  return probes.length > 40 && wrong.length === 0
}

export const STATEMENTS: readonly Statement[] = [...UPLOADS, ...WRITTEN_BY_A_MODEL, ...REFUSALS, ...FORMATS]
