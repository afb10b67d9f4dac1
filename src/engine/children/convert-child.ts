import { createWriteStream, closeSync, openSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { Worker } from 'node:worker_threads'
import { ConversionError, type Conversion } from '../conversion.ts'
import { ModelUnavailable } from '../model/chat-completion.ts'
import { NoConformingResult } from '../model/extract-json.ts'
import { convertDocument } from './convert-document.ts'
import { dataFields } from './data-fields.ts'
import type { ConversionReport, ConversionTask } from './conversion-task.ts'

/*
 * The entry of a child process: one document at a time. It is killed, never asked to stop, so it holds nothing that
 * would need cleaning up; the files it writes are in the request's folder, which the server removes.
 */

// Libraries print pieces of the documents that they cannot read; nothing of a document may reach a log.
for (const descriptor of [1, 2]) {
  closeSync(descriptor)
  openSync('/dev/null', 'w')
}

// This process must not outlive the server, not even where a converter holds its only thread: another thread watches.
const WATCH_PARENT = `setInterval(() => process.ppid === ${process.ppid} || process.kill(process.pid, 'SIGKILL'), 500)`
new Worker(WATCH_PARENT, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref()

/** What a bug looked like. An error's message may quote the document, so a request without retention keeps it out. */
function traceOf(error: unknown, withMessage: boolean): string {
  if (!(error instanceof Error)) return typeof error
  if (withMessage) return error.stack ?? error.message
  const frames = (error.stack ?? '').split('\n').filter((line) => line.trimStart().startsWith('at '))
  return [error.name, ...frames].join('\n')
}

/** The finders bring word lists that only requests for redaction should pay for. */
async function withoutPii(conversion: Conversion, { options, model }: ConversionTask): Promise<Conversion> {
  if (options.redactPII === false) return conversion
  const { redacted } = await import('./redacted.ts')
  return redacted(conversion, options, model)
}

export default async function convert(task: ConversionTask): Promise<ConversionReport> {
  process.send?.({ startedIn: process.pid })
  try {
    const conversion = await withoutPii(await convertDocument(task), task)
    const { fields, warnings, metadata } = await dataFields(conversion, task)
    await pipeline(fields, createWriteStream(task.fieldsPath))
    return { kind: 'converted', metadata, warnings }
  } catch (error) {
    if (error instanceof ConversionError) return { kind: 'refused', problem: error.problem, message: error.message }
    if (error instanceof ModelUnavailable)
      return { kind: 'model_failed', because: 'unavailable', message: error.message }
    if (error instanceof NoConformingResult) {
      return { kind: 'model_failed', because: 'no_conforming_result', message: error.message }
    }
    return { kind: 'failed', trace: traceOf(error, !task.options.zeroDataRetention) }
  }
}
