import { asCell, escapeInline } from '../markup/escape-markdown.ts'
import { pipeTable } from '../markup/pipe-table.ts'
import type { Mail } from './mail.ts'

/** Renders a message: its subject as the title, its headers and attachments as a table, its body. */
export function mailMarkdown({ headers, subject, body, attachments, notes }: Mail): string {
  const named = attachments.filter(({ skip }) => skip === null).map(({ name }) => name)
  const rows = [...headers, { name: 'Attachments', value: named.join(', ') }]
    .filter(({ value }) => value !== '')
    .map(({ name, value }) => [name, asCell(escapeInline(value))])
  const title = subject === '' ? [] : [`# ${escapeInline(subject)}`]
  const remarks = notes.map((note) => `*${escapeInline(note)}*`)
  const table = rows.length === 0 ? [] : [pipeTable([['Header', 'Value'], ...rows])]
  return [...title, ...table, ...remarks, body]
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n')
    .replaceAll('\0', '')
}
