import { beforeEach, describe, expect, test } from 'vitest'
import { createEngine } from '../../src/server/create-engine.ts'
import { csvFile, parseWith } from '../support/engine-client.ts'
import { type ChatRequest, startChatService } from '../../../../test/support/chat-service.ts'
import { shared } from '../../../../test/support/shared.ts'

const asked = (at: number): ChatRequest | undefined => service.requests[earlier + at]

const SCHEMA = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] }
const JSON_FORMAT = { formats: [{ type: 'json', schema: SCHEMA, prompt: 'How old is Ada?' }] }

let answers: (string | number)[]
/** Requests of the service before those of the test. */
let earlier = 0

const service = await shared(
  startChatService(() => {
    const answer = answers.shift() ?? 500
    if (typeof answer === 'number') return { status: answer, body: {} }
    return { body: { choices: [{ message: { content: answer } }] } }
  }),
)
const model = { url: service.url, key: 'm-key', name: 'tiny', maxInputCharacters: 1000 }
const engine = await shared(createEngine({ children: 1, model }))
const without = await shared(createEngine({ children: 1 }))

beforeEach(() => {
  earlier = service.requests.length
})

describe('a format that a model writes', () => {
  test('is null, with the reason, without a model', async () => {
    const { status, body } = await parseWith(without, {
      options: { formats: ['markdown', 'summary', { type: 'json' }] },
    })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ summary: null, json: null, warning: expect.stringContaining('language model') })
    expect(body.data?.markdown).toContain('Ada')
  })

  test('is the answer of the model to the document', async () => {
    answers = ['A list of one person.']
    const { body } = await parseWith(engine, { options: { formats: ['summary'] } })
    expect(body.data).toMatchObject({ summary: 'A list of one person.', warning: null })
    expect(asked(0)).toMatchObject({ authorization: 'Bearer m-key', body: { model: 'tiny' } })
    expect(asked(0)?.body.messages.at(-1)?.content).toContain('Ada')
  })

  test('fits the schema, after one correction if needed', async () => {
    answers = ['{"age":"old"}', '```json\n{"age":36}\n```']
    const { body } = await parseWith(engine, { options: JSON_FORMAT })
    expect(body.data?.json).toEqual({ age: 36 })
    expect(asked(1)?.body.messages.at(-1)?.content).toContain('/age must be integer')
  })

  test('is refused with 422 when the model never fits the schema', async () => {
    answers = ['no', 'never']
    const answer = await parseWith(engine, { options: JSON_FORMAT })
    expect(answer).toMatchObject({ status: 422, body: { success: false, code: 'NO_CONFORMING_RESULT' } })
  })

  test('is refused with 502 when the model does not answer', async () => {
    answers = [503]
    const answer = await parseWith(engine, { options: JSON_FORMAT })
    expect(answer).toMatchObject({ status: 502, body: { success: false, error: expect.stringContaining('503') } })
  })

  test('may be a redaction of text that the model found, but not of text it invented', async () => {
    const found = [
      { text: 'Ada', entity: 'PERSON' },
      { text: 'Grace', entity: 'PERSON' },
    ]
    answers = [JSON.stringify({ found })]
    const file = csvFile('mail.csv', 'who,mail\nAda,a@example.org\nAdam,-\n')
    const { body } = await parseWith(engine, { file, options: { redactPII: true } })
    expect(body.data?.markdown).toContain('| <PERSON> | a@example.org |\n| Adam | - |')
    expect(body.data?.warning).toBeNull()
  })

  test('redacts by heuristics, with a warning, without a model', async () => {
    const file = csvFile('mail.csv', 'who,mail\nAda,a@example.org\n')
    const { body } = await parseWith(without, { file, options: { redactPII: true, formats: ['markdown', 'html'] } })
    expect(body.data?.markdown).toContain('<EMAIL>')
    expect(body.data?.html).not.toContain('a@example.org')
    expect(body.data?.warning).toContain('heuristics')
  })

  test('carries a warning when the model saw only a part', async () => {
    answers = ['Long.']
    const file = new File([`a,b\n${'x,y\n'.repeat(1000)}`], 'long.csv')
    const { body } = await parseWith(engine, { file, options: { formats: ['summary'] } })
    expect(body.data?.warning).toContain('first 1000')
    expect(asked(0)?.body.messages.at(-1)?.content).toHaveLength(1000)
  })
})
