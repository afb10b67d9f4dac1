import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ConversionError, type Conversion } from '../conversion.ts'
import { ModelUnavailable } from '../model/chat-completion.ts'
import { NoConformingResult } from '../model/extract-json.ts'
import { convertDocument } from './convert-document.ts'
import { dataFields } from './data-fields.ts'
import { PIPE_BYTES, type ConversionReport, type ConversionTask } from './conversion-task.ts'

/** Returns the trace of a bug. An error's message may quote the document, so a request without retention omits it. */
function traceOf(error: unknown, withMessage: boolean): string {
  if (!(error instanceof Error)) return typeof error
  if (withMessage) return error.stack ?? error.message
  const frames = (error.stack ?? '').split('\n').filter((line) => line.trimStart().startsWith('at '))
  return [error.name, ...frames].join('\n')
}

/** Loads the finders on demand. Only requests for redaction pay for their word lists. */
async function withoutPii(conversion: Conversion, { options, model }: ConversionTask): Promise<Conversion> {
  if (options.redactPII === false) return conversion
  const { redacted } = await import('./redacted.ts')
  return redacted(conversion, options, model)
}

/** Joins the pieces up to `PIPE_BYTES`. Null if they are longer and went to the file. */
async function written(pieces: Iterable<string>, path: string): Promise<Buffer | null> {
  const rest = pieces[Symbol.iterator]()
  const start: string[] = []
  let length = 0
  for (let next = rest.next(); next.done !== true; next = rest.next()) {
    start.push(next.value)
    length += next.value.length
    if (length > PIPE_BYTES / 2) break
  }
  const buffer = length > PIPE_BYTES / 2 ? null : Buffer.from(start.join(''))
  if (buffer !== null) return buffer
  await mkdir(dirname(path), { recursive: true })
  await pipeline(
    function* () {
      yield* start
      for (let next = rest.next(); next.done !== true; next = rest.next()) yield next.value
    },
    createWriteStream(path, { mode: 0o600 }),
  )
  return null
}

/**
 * Converts one document. The requested fields are in the report or in its file. Never throws: every end is a report.
 */
export async function convertTask(task: ConversionTask): Promise<ConversionReport> {
  try {
    const conversion = await withoutPii(await convertDocument(task), task)
    const { fields, warnings, metadata } = await dataFields(conversion, task)
    return {
      kind: 'converted',
      fields: await written(fields, task.fieldsPath),
      metadata,
      warnings,
      lackingLanguages: conversion.lackingLanguages ?? [],
    }
  } catch (error) {
    if (error instanceof ConversionError) return { kind: 'refused', problem: error.problem, message: error.message }
    if (error instanceof ModelUnavailable)
      return { kind: 'model-failed', reason: 'unavailable', message: error.message }
    if (error instanceof NoConformingResult) {
      return { kind: 'model-failed', reason: 'no-conforming-result', message: error.message }
    }
    return { kind: 'failed', trace: traceOf(error, !task.options.zeroDataRetention) }
  }
}
