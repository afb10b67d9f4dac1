import { html } from 'hono/html'
import { type DocumentRow, type DocumentsParams, PAGE_LINES, type Sort } from '../api-schemas.ts'
import type { DocumentIndex } from '../document-index.ts'
import { queryOf, withParams } from '../read-query.ts'
import { badge, count, documentLink, type Markup, moment, page, paging, percent, type StoreFrame } from './layout.ts'

export interface DocumentsOptions extends StoreFrame {
  readonly index: DocumentIndex
  readonly params: URLSearchParams
  readonly values: DocumentsParams
}

const COLUMNS: readonly (readonly [name: string, sort: Sort | null])[] = [
  ['Document', 'key'],
  ['Outcome', null],
  ['Pages', 'pages'],
  ['Grade', 'grade'],
  ['Credits', 'credits'],
  ['Parser', null],
  ['Finished (UTC)', 'at'],
]

/** Filters that are folded while all of them are unused. */
const MORE = ['code', 'format', 'parser', 'grade', 'credits', 'from', 'to']

/** The list: a search, filters, and a page of lines. */
export function documentsPage({ index, params, values, ...frame }: DocumentsOptions): Markup {
  const query = queryOf(values)
  const { rows, total } = index.find(query)
  const current = query.offset / PAGE_LINES + 1
  const last = Math.max(1, Math.ceil(total / PAGE_LINES))
  return page(
    { ...frame, title: 'Documents', current: 'documents' },
    html`<h1>Documents</h1>
      ${filters(index, params)}
      <p role="status" id="found">${count(total)} ${total === 1 ? 'document' : 'documents'}</p>
      <div class="scroll" tabindex="0" role="region" aria-label="Documents">
        <table class="documents" role="table">
          <thead role="rowgroup">
            <tr role="row">
              ${COLUMNS.map(([name, sort]) => heading(name, sort, params))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            ${rows.map((row) => line(row, frame.base))}
          </tbody>
        </table>
      </div>
      ${total === 0 ? html`<p>No document matches the filters. <a href="${frame.base}/documents">Show all</a></p>` : ''}
      ${paging('Pages of the list', { current, last, link: (number) => withParams(params, { page: String(number) }) })}`,
  )
}

function filters(index: DocumentIndex, params: URLSearchParams): Markup {
  const value = (name: string): string => params.get(name) ?? ''
  const select = (name: string, label: string, column: 'outcome' | 'code' | 'format' | 'parser'): Markup =>
    html`<label
      >${label}
      <select name="${name}">
        <option value="">any</option>
        ${index
          .facet(column)
          .map(
            (facet) =>
              html`<option value="${facet.value}" ${facet.value === value(name) ? html`selected` : ''}>
                ${facet.value} (${count(facet.count)})
              </option>`,
          )}
      </select></label
    >`
  const input = (name: string, label: string, type: string): Markup =>
    html`<label
      >${label}
      <input type="${type}" name="${name}" value="${value(name)}" ${type === 'number' ? html`min="0" step="any"` : ''}
    /></label>`
  const isFiltered = MORE.some((name) => value(name) !== '')
  return html`<form method="get" class="filters" role="search" aria-label="List of documents">
    <label class="search"
      >Name <input type="search" name="q" value="${value('q')}" placeholder="part of a name" accesskey="s"
    /></label>
    ${select('outcome', 'Outcome', 'outcome')}
    <button>Show</button>
    <details ${isFiltered ? html`open` : ''}>
      <summary>More filters</summary>
      <div class="filters">
        ${select('code', 'Failure', 'code')} ${select('format', 'Format', 'format')}
        ${select('parser', 'Parser', 'parser')} ${input('grade', 'Grade below %', 'number')}
        ${input('credits', 'Credits from', 'number')} ${input('from', 'From', 'date')} ${input('to', 'To', 'date')}
      </div>
    </details>
  </form>`
}

function heading(name: string, sort: Sort | null, params: URLSearchParams): Markup {
  if (sort === null) return html`<th scope="col" role="columnheader">${name}</th>`
  const isSorted = (params.get('sort') ?? 'key') === sort
  const descending = isSorted && params.get('order') === 'desc'
  const next = withParams(params, { sort, order: isSorted && !descending ? 'desc' : '', page: '' })
  const order = descending ? 'descending' : 'ascending'
  const isNumber = sort === 'pages' || sort === 'grade' || sort === 'credits'
  return html`<th
    scope="col"
    role="columnheader"
    class="${isNumber ? 'number' : ''}"
    ${isSorted ? html`aria-sort="${order}"` : ''}
  >
    <a href="${next}">${name}</a>
  </th>`
}

const line = (row: DocumentRow, base: string): Markup =>
  html`<tr role="row">
    <th scope="row" role="rowheader">
      ${nameLink(base, row.key)}${
        row.note === '' ? '' : html`<small>${row.code === '' ? '' : `${row.code}: `}${row.note}</small>`
      }
    </th>
    <td role="cell">${badge(row.outcome)}</td>
    ${number('pages', row.pages === null ? null : count(row.pages))}
    ${number('grade', row.grade === null ? null : percent(row.grade))} ${number('credits', String(row.credits))}
    <td role="cell" class="parser">${row.parser || '–'}</td>
    <td role="cell" class="date">${moment(row.at)}</td>
  </tr>`

const number = (name: string, value: string | null): Markup =>
  html`<td role="cell" class="number ${value === null ? 'empty' : ''}" data-name="${name}">${value ?? '–'}</td>`

/** Emphasizes the name over its folders. */
function nameLink(base: string, key: string): Markup {
  const cut = key.lastIndexOf('/') + 1
  const folder = cut === 0 ? '' : html`<span class="folder">${key.slice(0, cut)}</span>`
  return html`<a class="name" href="${documentLink(base, key)}">${folder}${key.slice(cut)}</a>`
}
