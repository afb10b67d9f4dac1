import { createInterface } from 'node:readline'
import { answerOf } from '../../support/paged-answer.ts'
import { errorReply, parsedReply, type Reply, ScriptedService } from '../../support/scripted-service.ts'
import { kindOf, markdownOf } from '../world/archive.ts'
import { engineText, marksIn } from '../world/paged-documents.ts'

/*
 * Stands in for the embedded engine where the campaign routes: it grades each page as the page says. The real one reads
 * one page in the time in which this one reads a hundred.
 */

const service = await new ScriptedService({ answers: ({ file }) => replyTo(file?.content ?? Buffer.alloc(0)) }).listen()
createInterface({ input: process.stdin }).on('close', () => process.exit(0))
process.stdout.write(`${JSON.stringify({ ready: true, url: service.url })}\n`)

function replyTo(bytes: Buffer): Reply {
  if (kindOf(bytes) !== 'good') return errorReply(400, 'The document is damaged', { code: 'DOCUMENT_CORRUPT' })
  const marks = marksIn(bytes)
  if (marks.length === 0) return parsedReply(markdownOf(bytes))
  return answerOf(
    marks.map(engineText),
    marks.map(({ grade }) => grade),
  )
}
