import { expect, test } from 'vitest'
import { ImageWrapper } from '@sluice/engine/pages'
import type { Extension } from '@sluice/contract'
import { HttpParser } from '#src/parse/http-parser.ts'
import { WrappingParser } from '#src/parse/wrapping-parser.ts'
import { imageBytes } from '../../packages/engine/test/images/support.ts'
import { parseRequest } from '../support/parse-request.ts'
import {
  errorReply,
  parsedReply,
  type ReceivedRequest,
  type Reply,
  ScriptedService,
} from '../support/scripted-service.ts'
import { shared } from '../support/shared.ts'

const wrapper = await shared(Promise.resolve(new ImageWrapper({ env: {} })))
const NEVER = new AbortController().signal

async function asked(answers: (request: ReceivedRequest) => Reply, names: readonly string[]) {
  await using service = await new ScriptedService({ answers }).listen()
  const options = { baseUrl: new URL(service.url), apiKey: 'key', concurrency: 2, userAgent: 'test' }
  await using client = new HttpParser(options)
  const parser = new WrappingParser(client, async () => wrapper)
  const verdicts = []
  for (const name of names) {
    const extension = name.split('.').at(-1) as Extension
    const request = parseRequest(imageBytes(name), { parsers: [{ type: 'pdf', pages: true }] }, extension)
    verdicts.push(await parser.parse(request, NEVER))
  }
  const sent = service.requests.map(({ file, options: sentOptions }) => ({
    type: file?.headers['content-type'],
    parsers: sentOptions?.['parsers'],
    start: file?.content?.toString('latin1', 0, 5),
  }))
  return { verdicts, sent, charged: service.charged, charges: [...service.charges.values()] }
}

const isPdf = ({ file }: ReceivedRequest): boolean => file?.filename?.endsWith('.pdf') === true

test('a service that accepts images gets each as it is, with the parser of images', async () => {
  const { sent, charged } = await asked(() => parsedReply(), ['rgb.png', 'group4.tif'])
  const parsers = [{ type: 'pdf', pages: true }, 'image']
  expect(sent).toMatchObject([
    { type: 'image/png', parsers },
    { type: 'image/tiff', parsers },
  ])
  expect(charged).toBe(2)
})

test.each([
  ['a code', errorReply(400, 'Unsupported upload type.', { code: 'UNSUPPORTED_FILE_TYPE' })],
  ['a text', errorReply(400, 'Unsupported upload type. Supported file extensions: .pdf')],
  ['the options', errorReply(400, 'Bad Request', { details: [{ path: ['parsers', 1], message: 'Invalid' }] })],
  ['a status', errorReply(415, 'Unsupported Media Type')],
])(
  'a service that refuses images with %s gets PDFs, one refusal for each format, each bought once',
  async (_, refusal) => {
    const names = ['rgb.png', 'bit.png', 'group4.tif', 'three-pages.tif']
    const { verdicts, sent, charges } = await asked((request) => (isPdf(request) ? parsedReply() : refusal), names)
    expect(verdicts.map(({ kind }) => kind)).toEqual(['parsed', 'parsed', 'parsed', 'parsed'])
    expect(sent.map(({ type }) => type)).toEqual([
      'image/png',
      'application/pdf',
      'application/pdf',
      'image/tiff',
      'application/pdf',
      'application/pdf',
    ])
    expect(sent.filter(({ type }) => type === 'application/pdf')).toMatchObject(
      names.map(() => ({ start: '%PDF-', parsers: [{ type: 'pdf', pages: true }] })),
    )
    expect(charges).toEqual([1, 1, 1, 1])
  },
)

test('an image that cannot become a PDF fails with the reason, without a second request', async () => {
  const refusal = errorReply(400, 'Unsupported', { code: 'UNSUPPORTED_FILE_TYPE' })
  await using service = await new ScriptedService({ answers: () => refusal }).listen()
  await using client = new HttpParser({ baseUrl: new URL(service.url), apiKey: 'k', concurrency: 1, userAgent: 'test' })
  const broken = imageBytes('rgb.jpg').subarray(0, 90)
  const verdict = await new WrappingParser(client, async () => wrapper).parse(parseRequest(broken, {}, 'jpg'), NEVER)
  expect(verdict).toMatchObject({ kind: 'rejected', failure: { code: 'unsupported_type' } })
  expect(JSON.stringify(verdict)).toContain('accepts no .jpg files, and this one cannot be sent as a PDF. The image is')
  expect(service.requests).toHaveLength(1)
})

test('a service that has parsed an image of a format keeps its refusal of another one', async () => {
  const answers = ({ number }: ReceivedRequest): Reply =>
    number === 1 ? parsedReply() : errorReply(400, 'Unsupported', { code: 'UNSUPPORTED_FILE_TYPE' })
  const { verdicts, sent } = await asked(answers, ['rgb.png', 'bit.png'])
  expect(verdicts.map(({ kind }) => kind)).toEqual(['parsed', 'rejected'])
  expect(sent).toHaveLength(2)
})
