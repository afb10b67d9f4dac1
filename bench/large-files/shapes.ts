import type { Random } from '../../test/support/random.ts'

/** One kind of large file: `next` gives its content piece by piece, with a mark in each that the Markdown must keep. */
export interface Shape {
  readonly name: string
  readonly extension: 'csv' | 'html'
  readonly encoding: BufferEncoding
  readonly head: string
  next(mark: string, random: Random): string
  readonly tail: string
}

const WORDS = [
  'pier',
  'mole',
  'lock',
  'weir',
  'Schleuse',
  'écluse',
  'towpath',
  'boat',
  'tide',
  'keeper',
  'barge',
  'quay',
]

const words = (random: Random, count: number): string =>
  Array.from({ length: count }, () => random.pick(WORDS)).join(' ')
const numbers = (random: Random, count: number): string[] =>
  Array.from({ length: count }, () => String(random.below(1e6) / 100))

const csv = (name: string, next: Shape['next'], head = '', encoding: BufferEncoding = 'utf8'): Shape => ({
  name,
  extension: 'csv',
  encoding,
  head,
  next,
  tail: '',
})

const html = (name: string, next: Shape['next'], [open, close] = ['', '']): Shape => ({
  name,
  extension: 'html',
  encoding: 'utf8',
  head: `<!doctype html><html><head><meta charset="utf-8"><title>Large</title></head><body><main><h1>Large</h1>${open}`,
  next,
  tail: `${close}</main></body></html>`,
})

export const SHAPES: readonly Shape[] = [
  csv('numbers', (mark, random) => `${mark},${numbers(random, 8).join(',')}\n`),
  csv('200 columns', (mark, random) => `${mark};${numbers(random, 199).join(';')}\n`),
  csv('texts with line breaks', (mark, random) => `${mark},"${words(random, 30)}\n${words(random, 30)}",""""\n`),
  csv('UTF-16', (mark, random) => `${mark}\t${words(random, 8)}\n`, '\ufeff', 'utf16le'),
  csv('Latin-1', (mark, random) => `${mark},${words(random, 8)}\n`, '', 'latin1'),
  html('paragraphs', (mark, random) => `<p>${mark} ${words(random, 60)} <b>bold</b> <a href="/x">link</a></p>\n`),
  html(
    'one table',
    (mark, random) =>
      `<tr><td>${mark}</td>${numbers(random, 8)
        .map((value) => `<td>${value}</td>`)
        .join('')}</tr>`,
    ['<table>', '</table>'],
  ),
  html(
    'many tables',
    (mark, random) => `<table><tr><th>${mark}</th></tr><tr><td>${words(random, 5)}</td></tr></table>`,
  ),
  html('one list', (mark, random) => `<li>${mark} ${words(random, 6)}`, ['<ul>', '</ul>']),
  html('one listing', (mark, random) => `${mark} ${words(random, 8)}\n`, ['<pre>', '</pre>']),
  html('many small elements', (mark) => `<div class="a"><span style="color:red"><i>${mark}</i></span><br></div>`),
  html(
    'embedded pictures',
    (mark, random) =>
      `<p>${mark} <img src="data:image/png;base64,${random.bytes(6000).toString('base64')}" alt="a picture"></p>`,
  ),
]
