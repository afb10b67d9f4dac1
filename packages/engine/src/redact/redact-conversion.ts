import { type ParseOptions, type RedactionOptions, PII_ENTITIES, type Block, type BlockPage } from '@sluice/contract'
import type { Mark } from '../anchors/marks.ts'
import type { Conversion } from '../conversion.ts'
import type { PiiTerm } from './pii-span.ts'
import { redactHtml } from './redact-html.ts'
import { Redactor } from './redactor.ts'
import type { RedactedText } from './redactor.ts'

/** Warning for a mode that needs a model (contract, "Redaction object"). */
export const NO_MODEL_WARNING =
  'redactPII used heuristics, as in mode fast, because this engine has no model for accurate or aggressive: names and places may remain where no title or label marks them.'

/** Returns the redaction of a request. `true` means the contract's defaults. Null for none. */
export function redactionOf(redactPII: ParseOptions['redactPII']): RedactionOptions | null {
  if (redactPII === false) return null
  return redactPII === true ? { mode: 'accurate', entities: [...PII_ENTITIES], replaceStyle: 'tag' } : redactPII
}

/**
 * Redacts all text of a conversion: Markdown, pages, blocks, HTML, links and metadata. A term redacted in one is
 * redacted in all. `markdownSpan`s still slice the Markdown to exactly their block's content. A block that a redaction
 * cuts through loses its span. A block whose text is not in the Markdown loses its text, because no model has read it.
 * `terms` are the matches of a model, null without one.
 */
export function redactConversion(
  conversion: Conversion,
  options: RedactionOptions,
  terms: readonly PiiTerm[] | null = null,
): Conversion {
  const redactor = new Redactor(conversion.markdown, options, terms)
  const plain = (text: string): string => redactor.redact(text).text
  const markdown = redactor.redact(conversion.markdown)
  const warnings = [conversion.warning, options.mode === 'fast' || terms !== null ? null : NO_MODEL_WARNING]
  return {
    markdown: markdown.text,
    html: conversion.html === null ? null : redactHtml(conversion.html, plain),
    pages: conversion.pages?.map((page) => ({ ...page, markdown: plain(page.markdown) })) ?? null,
    blocks: conversion.blocks?.map((page) => redactPage(page, markdown, plain)) ?? null,
    links: withoutPii(conversion.links, plain),
    images: withoutPii(conversion.images, plain),
    metadata: Object.fromEntries(
      Object.entries(conversion.metadata).map(([key, value]) => [key, redactValue(value, plain)]),
    ),
    warning: warnings.filter((warning) => warning !== null).join(' ') || null,
    ...(conversion.marks === undefined ? {} : { marks: redactMarks(conversion.marks, markdown, plain) }),
  }
}

/** Moves the marks at block starts. A mark inside redacted text goes, and its block belongs to the previous anchor. */
function redactMarks(marks: readonly Mark[], { offsets }: RedactedText, plain: (text: string) => string): Mark[] {
  return marks.flatMap(({ at, anchor }) => {
    const moved = offsets.mapRange([at, at])?.[0]
    if (moved === undefined) return []
    return [
      {
        at: moved,
        anchor: 'sheet' in anchor && anchor.sheet !== null ? { ...anchor, sheet: plain(anchor.sheet) } : anchor,
      },
    ]
  })
}

function redactPage(page: BlockPage, markdown: RedactedText, plain: (text: string) => string): BlockPage {
  return { ...page, items: page.items.map((block) => redactBlock(block, markdown, plain)) }
}

function redactBlock(block: Block, markdown: RedactedText, plain: (text: string) => string): Block {
  if (block.markdownSpan === null) return { ...block, content: '' }
  const span = markdown.offsets.mapRange(block.markdownSpan)
  return { ...block, markdownSpan: span, content: span === null ? plain(block.content) : markdown.text.slice(...span) }
}

/**
 * Drops addresses that identify a person (`mailto:`, `tel:`, a key in the URL). Their redacted form would lead nowhere.
 */
function withoutPii(addresses: readonly string[], plain: (text: string) => string): string[] {
  return addresses.filter((address) => !/^tel:/i.test(address) && plain(address) === address)
}

function redactValue(
  value: Conversion['metadata'][string],
  plain: (text: string) => string,
): Conversion['metadata'][string] {
  if (typeof value === 'string') return plain(value)
  return Array.isArray(value) ? value.map(plain) : (value ?? null)
}
