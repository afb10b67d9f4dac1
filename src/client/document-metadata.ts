import type { DocumentMetadata } from '#src/document/record.ts'

/** Maximum lengths in UTF-16 units: pages put whole articles into these fields. */
const MAX_TITLE = 300
const MAX_DESCRIPTION = 1000
const MAX_LANGUAGE = 35

/** Fields with the time of the last change, the most exact first; some pages have only that of their publication. */
const MODIFIED = ['modifiedTime', 'lastModified', 'dcterms.modified', 'modified', 'publishedTime', 'dcTermsCreated']

/**
 * Selects title, description, language and time of change from the metadata of an answer (contract, metadata table), or
 * from the properties of an Office document or a PDF. Omits an empty or unreadable one.
 */
export function documentMetadata(fields: Readonly<Record<string, unknown>>): DocumentMetadata {
  const title = firstText(fields['title'] ?? fields['ogTitle'], MAX_TITLE)
  const description = firstText(fields['description'] ?? fields['ogDescription'], MAX_DESCRIPTION)
  const language = firstText(fields['language'], MAX_LANGUAGE)
  const modified = MODIFIED.map((name) => timeOf(fields[name])).find((time) => time !== null)
  return {
    ...(title === null ? {} : { title }),
    ...(description === null ? {} : { description }),
    ...(language === null ? {} : { language }),
    ...(modified === undefined ? {} : { modified }),
  }
}

/** Contract: each field is a text or a list of texts. */
function firstText(value: unknown, limit: number): string | null {
  const text: unknown = Array.isArray(value) ? value[0] : value
  if (typeof text !== 'string') return null
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return line === '' ? null : line.slice(0, limit).toWellFormed()
}

function timeOf(value: unknown): string | null {
  const text = firstText(value, 100)
  const time = text === null ? Number.NaN : Date.parse(text)
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}
