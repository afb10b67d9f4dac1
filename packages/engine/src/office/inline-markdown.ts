import { literalAddress, runsScript } from '../markup/scripts-in-addresses.ts'
import { escapeInline } from '../markup/escape-markdown.ts'
import type { Inline, Style } from './office-document.ts'
import { REMOVED_IMAGE } from '../web/base64-images.ts'
import type { Rendering } from './rendering.ts'

const NO_STYLE: Style = { bold: false, italic: false, strike: false, code: false }

interface Run {
  readonly text: string
  readonly style: Style
}

const sameStyle = (a: Style, b: Style): boolean =>
  a.bold === b.bold && a.italic === b.italic && a.strike === b.strike && a.code === b.code

function withoutBold(style: Style): Style {
  return { ...style, bold: false }
}

/** Merges adjacent runs of one style, so that a word in several runs gets a single emphasis. */
function mergeRuns(runs: readonly Run[]): Run[] {
  const merged: Run[] = []
  for (const run of runs) {
    const last = merged.at(-1)
    // Blank text has no visible style, so it joins the previous run.
    const joins = last !== undefined && (sameStyle(last.style, run.style) || run.text.trim() === '')
    if (last !== undefined && joins) merged[merged.length - 1] = { ...last, text: last.text + run.text }
    else merged.push(run)
  }
  return merged
}

function marker(style: Style): string {
  return (style.strike ? '~~' : '') + (style.bold ? '**' : '') + (style.italic ? '*' : '')
}

function codeSpan(text: string): string {
  const fence = '`'.repeat(1 + Math.max(0, ...[...text.matchAll(/`+/g)].map((match) => match[0].length)))
  const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return fence + pad + text + pad + fence
}

/** Keeps blanks outside the markers, because `**bold **` would render with its stars. */
function renderRun({ text, style }: Run, isFirst: boolean): string {
  const core = text.trim()
  if (core === '') return text === '' ? '' : ' '
  const lead = text.slice(0, text.indexOf(core))
  const trail = text.slice(lead.length + core.length)
  const open = marker(style)
  const close = [...open.matchAll(/~~|\*\*|\*/g)]
    .map(([part]) => part)
    .reverse()
    .join('')
  const follows = !isFirst && lead === ''
  const shown = style.code ? codeSpan(core) : escapeInline(core.replace(/[ \t]{2,}/g, ' '), follows)
  return lead + open + shown + close + trail
}

function linkDestination(url: string): string {
  const address = literalAddress(url)
  return /[\s()<>]/.test(url) ? `<${address.replace(/[<>]/g, encodeURIComponent).replace(/\s+/g, '%20')}>` : address
}

/** True for a generated name without a description: `Picture 3`, `image1.png`. */
const isEditorName = (alt: string): boolean => /\.(png|jpe?g|gif|bmp|tiff?|emf|wmf|svg|webp)$|^\p{L}+ ?\d+$/iu.test(alt)

/** Renders an image. Without an address only its alt text remains, if it is descriptive. */
function renderImage(inline: Inline, rendering: Rendering): string {
  const url = rendering.imageUrl(inline.source)
  const alt = (inline.alt ?? '').replace(/\s+/g, ' ').trim()
  if (url !== null) return `![${escapeInline(alt, true)}](${linkDestination(url)})`
  if (alt === '') return ''
  return isEditorName(alt) ? `![${escapeInline(alt, true)}](${REMOVED_IMAGE})` : escapeInline(alt, true)
}

function renderLink(inline: Inline, rendering: Rendering, plain: boolean): string {
  const text = renderInlines(inline.content ?? [], rendering, plain, true).trim()
  const target = inline.target
  // Markdown has no target for an anchor inside the document.
  if (target === undefined || target.kind === 'anchor' || text === '' || runsScript(target.value)) return text
  rendering.links.add(target.value)
  return `[${text}](${linkDestination(target.value)})`
}

/** Two consecutive line breaks end a paragraph, as some editors write it. A break at either end has no effect. */
function paragraphBreaks(markdown: string): string {
  return markdown.replace(/^(\s*\\\n)+|(\\\n\s*)+$/g, '').replace(/(\\\n[ \t]*){2,}/g, '\n\n')
}

/**
 * Renders inline content as Markdown. `plain` omits bold, because a heading already is bold. `follows` is true if other
 * text precedes it.
 */
export function renderInlines(
  inlines: readonly Inline[],
  rendering: Rendering,
  plain = false,
  follows = false,
): string {
  let markdown = ''
  let runs: Run[] = []
  const flush = (): void => {
    const isStart = markdown === '' && !follows
    markdown += mergeRuns(runs)
      .map((run, index) => renderRun(run, isStart && index === 0))
      .join('')
    runs = []
  }
  for (const inline of inlines) {
    if (inline.kind === 'text') {
      const style = inline.style ?? NO_STYLE
      runs.push({ text: inline.text ?? '', style: plain ? withoutBold(style) : style })
      continue
    }
    flush()
    if (inline.kind === 'link') markdown += renderLink(inline, rendering, plain)
    else if (inline.kind === 'image') markdown += renderImage(inline, rendering)
    else if (inline.kind === 'noteRef') markdown += `[^${rendering.noteNumber(inline.noteId ?? '')}]`
    else if (inline.kind === 'lineBreak') markdown += '\\\n'
  }
  flush()
  return paragraphBreaks(markdown)
}
