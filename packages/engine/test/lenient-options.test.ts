import { describe, expect, test } from 'vitest'
import { createEngine } from '../src/server/create-engine.ts'
import { parseWith } from './support/engine-client.ts'
import { shared } from '../../../test/support/shared.ts'

/* What real clients send beyond the contract, and what the engine makes of it. */

const engine = await shared(createEngine({ children: 1 }))

describe('the engine answers options that', () => {
  test.each([
    [
      'the Python SDK writes for a JsonFormat',
      { formats: [{ type: 'json', prompt: 'x', schema: null, check_prompt_injection: null }] },
    ],
    ['hold nulls in the redaction object', { redactPII: { mode: 'fast', entities: null, replaceStyle: null } }],
    ['hold null for options of the contract', { proxy: null, includeTags: null, timeout: null, parsers: null }],
    ['ask for checkPromptInjection in the format', { formats: [{ type: 'json', checkPromptInjection: true }] }],
    ['ask for checkPromptInjection beside the formats', { formats: ['json'], checkPromptInjection: true }],
  ])('%s', async (_which, options) => {
    expect(await parseWith(engine, { options })).toMatchObject({ status: 200 })
  })

  test.each([
    [{ fastMode: true, maxAge: 3_600_000, minAge: 5, storeInCache: true }],
    [{ mobile: false, waitFor: 0, actions: [], location: null, lockdown: false, profile: {}, somethingNew: '' }],
  ])('it has no use for, and names them: %j', async (options) => {
    const { status, body } = await parseWith(engine, { options })
    expect(status).toBe(200)
    expect(body.data?.warning).toBe(`Not used for documents: ${Object.keys(options).join(', ')}.`)
  })
})

describe('the engine refuses', () => {
  test.each([
    ['a key that no operation knows', { formatz: ['markdown'] }, 'formatz'],
    ['another key in the PDF parser object', { parsers: [{ type: 'pdf', dpi: null }] }, 'parsers.0.dpi'],
    ['another key in the redaction object', { redactPII: { style: 'tag' } }, 'redactPII.style'],
    ['a wrong value in the redaction object', { redactPII: { entities: ['EMAILS'] } }, 'redactPII.entities.0'],
    ['another key in auditMetadata', { auditMetadata: { username: 'a', team: null } }, 'auditMetadata.team'],
    ['a format that does not exist', { formats: ['markdwn'] }, 'formats.0.type'],
    ['checkPromptInjection that is no boolean', { checkPromptInjection: 'yes' }, 'checkPromptInjection'],
  ])('%s, and names the field', async (_which, options, field) => {
    const { status, body } = await parseWith(engine, { options })
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST'])
    expect(body.error).toContain(field)
    const named = body.details?.map(({ path, keys = [] }) => [path, keys].flat().join('.'))
    expect(named).toContain(field)
  })

  test.each([
    [{ formats: [{ type: 'query', prompt: 'why' }] }, 'query'],
    [{ formats: ['screenshot@fullPage'] }, 'screenshot'],
    [{ lockdown: true }, 'lockdown'],
    [{ proxy: 'stealth' }, 'proxy'],
  ])('options that parse does not support: %j', async (options, name) => {
    const answer = await parseWith(engine, { options })
    expect(answer).toMatchObject({ status: 400, body: { code: 'PARSE_UNSUPPORTED_OPTIONS' } })
    expect(answer.body.error).toContain(name)
  })
})
