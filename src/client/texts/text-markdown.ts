import { z } from 'zod'
import { assertNever } from '#src/kit/assert-never.ts'
import type { TextKind } from './text-kind.ts'

/** Converts a text to Markdown. */
export function textMarkdown(text: string, form: TextKind): string {
  switch (form.kind) {
    case 'verbatim':
      return text
    case 'code':
      return fenced(text, form.language)
    case 'notebook':
      return notebookMarkdown(text)
    case 'subtitles':
      return subtitleMarkdown(text)
    default:
      return assertNever(form)
  }
}

/** Returns a code block, with a fence longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [marks]) => Math.max(most, marks.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.trimEnd()}\n${fence}\n`
}

const lines = z.union([z.string(), z.array(z.string()).transform((parts) => parts.join(''))])

/** The parts of a notebook that are text (nbformat 4, "The notebook file format"). */
const notebookSchema = z.object({
  metadata: z
    .object({ language_info: z.object({ name: z.string() }).optional() })
    .optional()
    .catch(undefined),
  cells: z.array(
    z.object({
      cell_type: z.string(),
      source: lines.catch(''),
      outputs: z
        .array(
          z.object({
            text: lines.optional(),
            data: z.object({ 'text/plain': lines.optional() }).optional().catch(undefined),
            traceback: lines.optional(),
          }),
        )
        .catch([])
        .default([]),
    }),
  ),
})

/** Colours of a terminal in a traceback. */
// eslint-disable-next-line no-control-regex
const COLOURS = /\u001b\[[0-9;]*m/g

/** Text cells verbatim, code and its text outputs as code blocks. A file of another form is a code block of JSON. */
function notebookMarkdown(text: string): string {
  const { data: notebook } = notebookSchema.safeParse(jsonOf(text))
  if (notebook === undefined) return fenced(text, 'json')
  const language = notebook.metadata?.language_info?.name ?? 'python'
  const written = notebook.cells.flatMap(({ cell_type, source, outputs }) => {
    if (source.trim() === '') return []
    if (cell_type !== 'code') return [source.trimEnd()]
    const shown = outputs.map((output) => output.text ?? output.data?.['text/plain'] ?? output.traceback ?? '')
    const printed = shown.join('\n').replace(COLOURS, '').trim()
    return [fenced(source, language).trimEnd(), ...(printed === '' ? [] : [fenced(printed, 'text').trimEnd()])]
  })
  return `${written.join('\n\n')}\n`
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

const TIME = /^(?:(\d{1,3}):)?(\d{2}):(\d{2})[.,]\d{1,3}\s*-->/

/** Interval in seconds after which a paragraph gets a new time. */
const PARAGRAPH_S = 30

/** Joins the cues of SubRip and WebVTT files to paragraphs that begin with their time: `[00:01:30] text`. */
function subtitleMarkdown(text: string): string {
  const paragraphs: { at: number; words: string[] }[] = []
  for (const block of text.replace(/\r\n?/g, '\n').split(/\n{2,}/)) {
    const rows = block.split('\n')
    const timed = rows.findIndex((row) => TIME.test(row.trim()))
    if (timed < 0) continue
    const [, hours = '0', minutes = '0', seconds = '0'] = TIME.exec(rows[timed]?.trim() ?? '') ?? []
    const at = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
    const words = rows.slice(timed + 1).map((row) => row.replace(/<[^<>]*>|\{\\[^{}]*\}/g, '').trim())
    const last = paragraphs.at(-1)
    if (last === undefined || at - last.at >= PARAGRAPH_S || at < last.at) paragraphs.push({ at, words })
    else last.words.push(...words)
  }
  return `${paragraphs.map(({ at, words }) => `[${clock(at)}] ${words.filter(Boolean).join(' ')}`).join('\n\n')}\n`
}

const clock = (seconds: number): string =>
  [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) => String(Math.floor(part)).padStart(2, '0')).join(':')
