import { z } from 'zod'
import {
  chunksAnswer,
  chunksParams,
  documentAnswer,
  documentsAnswer,
  documentsParams,
  errorAnswer,
  failuresAnswer,
  keyParams,
  noParams,
  receiptsAnswer,
  searchAnswer,
  searchParams,
  storeAnswer,
} from './api-schemas.ts'
import { liveSample, liveStatus } from './live.ts'

interface Operation {
  readonly summary: string
  readonly params: z.ZodObject
  readonly answer: z.ZodObject
  /** Other answers, each with an error. */
  readonly errors: Readonly<Record<number, string>>
}

const historyAnswer = z.object({ samples: z.array(liveSample) })

const WRONG = { 400: 'a parameter is unknown, missing or wrong' }

const INDEXING = { 503: 'the index is being built' }

/** Read operations of the API, by path below the address that `sluice view` prints. */
export const OPERATIONS = {
  '/api/store': { summary: 'Totals of the store', params: noParams, answer: storeAnswer, errors: WRONG },
  '/api/documents': { summary: 'A page of documents', params: documentsParams, answer: documentsAnswer, errors: WRONG },
  '/api/document': {
    summary: 'A document: record, failure and layout blocks',
    params: keyParams,
    answer: documentAnswer,
    errors: { ...WRONG, 404: 'the store has no such document' },
  },
  '/api/receipts': {
    summary: 'Receipts kept for the bytes of a document',
    params: keyParams,
    answer: receiptsAnswer,
    errors: { ...WRONG, 404: 'the store has no record of this document' },
  },
  '/api/chunks': {
    summary: 'A page of the chunks of a document, as the search has them',
    params: chunksParams,
    answer: chunksAnswer,
    errors: { ...WRONG, 404: 'the store has no chunks of this document', ...INDEXING },
  },
  '/api/search': {
    summary: 'Passages that hold the words of a question, each compared with its document',
    params: searchParams,
    answer: searchAnswer,
    errors: { ...WRONG, ...INDEXING },
  },
  '/api/failures': { summary: 'Failures by code', params: noParams, answer: failuresAnswer, errors: WRONG },
  '/api/live': {
    summary: 'The run: counts, workers, limiter, budgets, outages',
    params: noParams,
    answer: liveStatus,
    errors: { ...WRONG, 404: 'no source is known for the store' },
  },
  '/api/history': {
    summary: 'The last hour of the run, sampled every 5 s since the first request for it',
    params: noParams,
    answer: historyAnswer,
    errors: WRONG,
  },
} as const satisfies Readonly<Record<string, Operation>>

/** Actions of the pages' buttons; all need `--allow-writes`. */
const ACTIONS = {
  pause: { summary: 'Pause or resume the queue', field: 'do', schema: { enum: ['pause', 'resume'] } },
  retry: { summary: 'Retry the documents with a failure code', field: 'code', schema: { type: 'string' } },
} as const

/** OpenAPI 3.1 description of the API, generated from the schemas that validate it. */
export function openapi(version: string): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'sluice view',
      version,
      description: 'Paths are relative to the address that `sluice view` prints.',
    },
    paths: {
      ...Object.fromEntries(Object.entries(OPERATIONS).map(([path, one]) => [path, { get: operationOf(one) }])),
      ...Object.fromEntries(
        Object.entries(ACTIONS).map(([name, { summary, field, schema }]) => [
          `/actions/${name}`,
          { post: actionOf(summary, field, schema) },
        ]),
      ),
    },
  }
}

const jsonOf = (schema: z.ZodObject): object => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'output' })
  return { content: { 'application/json': { schema: rest } } }
}

const described = (codes: Readonly<Record<number, string>>): object =>
  Object.fromEntries(
    Object.entries(codes).map(([status, description]) => [status, { description, ...jsonOf(errorAnswer) }]),
  )

function operationOf({ summary, params, answer, errors }: Operation): object {
  return {
    summary,
    ...(params === noParams ? {} : { parameters: parametersOf(params) }),
    responses: { 200: { description: 'OK', ...jsonOf(answer) }, ...described(errors) },
  }
}

function parametersOf(params: z.ZodObject): readonly object[] {
  const { properties = {}, required = [] } = z.toJSONSchema(params)
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}

const actionOf = (summary: string, field: string, schema: object): object => ({
  summary,
  requestBody: {
    required: true,
    content: {
      'application/x-www-form-urlencoded': {
        schema: { type: 'object', required: [field], properties: { [field]: schema } },
      },
    },
  },
  responses: { 303: { description: 'done; redirects to the page' }, 403: { description: 'needs --allow-writes' } },
})
