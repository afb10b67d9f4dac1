import type { RedactionOptions } from '@sluice/contract'
import { findFinancial } from './find-financial.ts'
import { findLocations } from './find-locations.ts'
import { findPersons } from './find-persons.ts'
import { findPhones } from './find-phones.ts'
import { findSecrets } from './find-secrets.ts'
import { asSpans, matchesOf } from './find-matches.ts'
import { type PiiEntity, type PiiFinder, type PiiSpan, type PiiTerm, settleOverlaps } from './pii-span.ts'
import { OffsetMap, replaceSpans } from './replace-spans.ts'

const FINDERS: Readonly<Record<PiiEntity, PiiFinder>> = {
  PERSON: findPersons,
  EMAIL: findEmails,
  PHONE: findPhones,
  LOCATION: findLocations,
  FINANCIAL: findFinancial,
  SECRET: findSecrets,
}

export interface RedactedText {
  readonly text: string
  /** Maps offsets of the original to offsets in `text`. */
  readonly offsets: OffsetMap
}

/**
 * Redacts the texts of a document. A full name that `document` reveals anywhere is redacted everywhere. Pages, blocks
 * and metadata of the document get the same redactions.
 */
export class Redactor {
  readonly #options: RedactionOptions
  readonly #finders: readonly PiiFinder[]

  /** `terms` are the matches of a model, null without a model. Mode `accurate` uses only the model. */
  constructor(document: string, options: RedactionOptions, terms: readonly PiiTerm[] | null = null) {
    this.#options = options
    const isModelOnly = terms !== null && options.mode === 'accurate'
    this.#finders = [...(isModelOnly ? [] : heuristics(document, options)), ...(terms ?? []).map(finderOf)]
  }

  redact(text: string): RedactedText {
    const spans = this.find(text)
    return {
      text: replaceSpans(text, spans, this.#options.replaceStyle),
      offsets: new OffsetMap(spans, this.#options.replaceStyle),
    }
  }

  /** Ordered, without overlap. */
  find(text: string): PiiSpan[] {
    return settleOverlaps(this.#finders.flatMap((find) => find(text)))
  }
}

function heuristics(document: string, { entities }: RedactionOptions): PiiFinder[] {
  const names = entities.includes('PERSON') ? namePattern(document) : null
  const known: PiiFinder[] = names === null ? [] : [(text) => asSpans(matchesOf(text, names), 'PERSON')]
  return [...known, ...entities.map((entity) => FINDERS[entity])]
}

/** Matches a term as a complete word, not inside a longer word. */
function finderOf({ text: term, entity }: PiiTerm): PiiFinder {
  const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}])${RegExp.escape(term)}(?![\p{L}\p{N}])`, 'gdu')
  return (text) => asSpans(matchesOf(text, pattern), entity)
}

/**
 * Returns one pattern for all full names of a document, longest first. Null if there is none. A surname alone may be a
 * word.
 */
function namePattern(document: string): RegExp | null {
  const names = new Set(findPersons(document).map(({ start, end }) => document.slice(start, end)))
  const patterns = [...names]
    .filter((name) => /\s/.test(name))
    .sort((a, b) => b.length - a.length)
    .map((name) => RegExp.escape(name))
  return patterns.length === 0
    ? null
    : new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${patterns.join('|')})(?![\p{L}\p{N}])`, 'gdu')
}

/** Local part and domain. A Markdown writer may have escaped `_` and other marks. */
const ADDRESS =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}](?:[\p{L}\p{N}._%+'-]|\\[_*+-])*@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,24}(?![\p{L}\p{N}@])/dgu
/** `name (at) example (dot) org`, the spelling against harvesters. */
const SPELLED =
  /(?<![\p{L}\p{N}._+-])[\p{L}\p{N}._+-]+ ?[[({] ?(?:at|ät|@) ?[\])}] ?[\p{L}\p{N}-]+(?:(?:\.| ?[[({] ?(?:dot|punkt|\.) ?[\])}] ?)[\p{L}\p{N}-]+)+/dgiu
/** `icon@2x.png` is a file. */
const FILE_ENDING = /\.(?:png|jpe?g|gif|svg|webp|ico|css|js|ts|json|html?|pdf|mp4)$/i

function findEmails(text: string): PiiSpan[] {
  const addresses = matchesOf(text, ADDRESS).filter((match) => !FILE_ENDING.test(match.text))
  return asSpans([...addresses, ...matchesOf(text, SPELLED)], 'EMAIL')
}
