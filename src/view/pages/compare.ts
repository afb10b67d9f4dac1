import { html } from 'hono/html'
import type { ListedReceipt, ShownReceipt } from '../receipts.ts'
import { count, documentLink, type Markup, moment, page, pairs, type StoreFrame } from './layout.ts'

export interface CompareOptions extends StoreFrame {
  readonly key: string
  /** All receipts for the document's bytes. */
  readonly receipts: readonly ListedReceipt[]
  /** Null if it is absent or unreadable. */
  readonly left: Side | null
  readonly right: Side | null
}

export interface Side {
  readonly receipt: ShownReceipt
  /** Number of lines that the other one lacks. */
  readonly differing: number
}

/** Compares two answers for the same bytes, and marks differences. */
export function comparePage({ key, receipts, left, right, ...frame }: CompareOptions): Markup {
  const back = documentLink(frame.base, key)
  return page(
    { ...frame, title: `Receipts of ${key}`, current: 'documents' },
    html`<p class="back"><a href="${back}">${key}</a></p>
      <h1>Receipts</h1>
      ${
        receipts.length < 2
          ? html`<p>
              ${receipts.length === 0 ? 'The store has no receipt for the bytes of this document.' : 'The store has only one receipt for the bytes of this document: there is nothing to compare.'}
            </p>`
          : choice(key, receipts, left, right)
      }
      ${
        left !== null && right !== null && left.differing + right.differing === 0
          ? html`<p role="status">The Markdown of both receipts is the same.</p>`
          : ''
      }
      <div class="viewer">
        ${[left, right].map((side, at) => (side === null ? '' : column(side, [left, right][1 - at] ?? null, key, frame.base)))}
      </div>`,
  )
}

function choice(key: string, receipts: readonly ListedReceipt[], left: Side | null, right: Side | null): Markup {
  const select = (name: string, label: string, chosen: string | undefined): Markup =>
    html`<label
      >${label}
      <select name="${name}">
        ${receipts.map(
          ({ id, savedAt, isInUse }) =>
            html`<option value="${id}" ${id === chosen ? html`selected` : ''}>
              ${nameOf(id)}, ${moment(savedAt)}${isInUse ? ', in use' : ''}
            </option>`,
        )}
      </select></label
    >`
  return html`<form method="get" class="filters">
    <input type="hidden" name="key" value="${key}" />
    ${select('left', 'Left', left?.receipt.id)} ${select('right', 'Right', right?.receipt.id)}
    <button>Compare</button>
  </form>`
}

/** Recipe and class of parser: the content is the same for all. */
const nameOf = (id: string): string => {
  const [, recipe = '', parser = 'unknown parser'] = id.split('-')
  return `${parser}, recipe ${recipe.slice(0, 8)}`
}

function column({ receipt, differing }: Side, other: Side | null, key: string, base: string): Markup {
  const { id, parser, savedAt, credits, pages, problems, markdown, isInUse } = receipt
  const facts = [
    ['Parser', parser === null ? '–' : `${parser.class} ${parser.version ?? ''}`],
    ['From', parser?.origin ?? '–'],
    ['Kept', `${moment(savedAt)} UTC`],
    ['Credits', credits === null ? '–' : String(credits)],
    ['Pages', pages === null ? '–' : String(pages)],
    ['Markdown', `${count(markdown.length)} characters`],
  ] as const
  const params = new URLSearchParams({ key, id, ...(other === null ? {} : { other: other.receipt.id }) })
  return html`<section aria-label="${nameOf(id)}">
    <h2>${nameOf(id)}${isInUse ? html` <span class="badge done">in use</span>` : ''}</h2>
    <dl class="facts">${pairs(facts)}</dl>
    ${
      problems.length === 0
        ? ''
        : html`<ul class="problems">
            ${problems.map((problem) => html`<li>${problem}</li>`)}
          </ul>`
    }
    ${other === null ? '' : html`<p>${difference(differing)}</p>`}
    <iframe
      title="Markdown of ${nameOf(id)}"
      sandbox="allow-same-origin"
      src="${base}/content/receipt?${params.toString()}"
    ></iframe>
  </section>`
}

function difference(lines: number): string {
  if (lines === 0) return 'The other receipt has all these lines too.'
  return `${lines === 1 ? 'One line is' : `${count(lines)} lines are`} not in the other receipt, and marked below.`
}
