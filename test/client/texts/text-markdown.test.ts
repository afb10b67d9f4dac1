import * as fc from '../../support/fast-check.ts'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { describe, expect, test } from 'vitest'
import { textKindOf } from '#src/client/texts/text-kind.ts'
import { textMarkdown } from '#src/client/texts/text-markdown.ts'

const converted = (name: string, text: string): string => {
  const form = textKindOf(name)
  if (form === null) throw new Error(`${name} needs a parser`)
  return textMarkdown(text, form)
}

describe('a text', () => {
  test.each(['a.md', 'A.TXT', 'notes.rst', 'm.eml'])('%s stays verbatim', (name) => {
    expect(converted(name, '# a\n')).toBe('# a\n')
  })

  test.each(['a.pdf', 'a', 'a.csv', 'a.unknown', 'json'])('%s needs a parser', (name) => {
    expect(textKindOf(name)).toBe(null)
  })

  test('of code is one code block with its language, whatever it contains', () => {
    expect(converted('a.py', 'print(1)\n')).toBe('```python\nprint(1)\n```\n')
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('`', '~', '\n', ' ', 'a', '\t') }), (text) => {
        const { children } = fromMarkdown(converted('a.json', text))
        expect(children).toMatchObject([{ type: 'code', lang: 'json', value: text.trimEnd() }])
      }),
    )
  })
})

describe('a notebook', () => {
  test('has its text cells, its code and the text of its outputs', () => {
    const notebook = {
      metadata: { language_info: { name: 'julia' } },
      cells: [
        { cell_type: 'markdown', source: ['# Title\n', 'text'] },
        {
          cell_type: 'code',
          source: 'f(1)',
          outputs: [
            { output_type: 'stream', text: ['one\n', 'two\n'] },
            { output_type: 'display_data', data: { 'text/plain': '3', 'image/png': 'AAAA' } },
            { output_type: 'error', traceback: ['\u001b[31mError\u001b[0m'] },
          ],
        },
        { cell_type: 'code', source: '  ', outputs: [] },
      ],
    }
    expect(converted('a.ipynb', JSON.stringify(notebook))).toBe(
      '# Title\ntext\n\n```julia\nf(1)\n```\n\n```text\none\ntwo\n\n3\nError\n```\n',
    )
  })

  test.each(['{', '[]', '{"cells": 1}'])('of another form (%s) is a code block of JSON', (text) => {
    expect(converted('a.ipynb', text)).toBe(`\`\`\`json\n${text}\n\`\`\`\n`)
  })
})

describe('subtitles', () => {
  test('become paragraphs that begin with their time', () => {
    const srt =
      '1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>Hello</i>\r\nworld\r\n\r\n2\r\n00:00:05,000 --> 00:00:06,000\r\nagain\r\n\r\n3\r\n01:00:31,500 --> 01:00:33,000\r\nlater\r\n'
    expect(converted('a.srt', srt)).toBe('[00:00:01] Hello world again\n\n[01:00:31] later\n')
    expect(converted('a.vtt', 'WEBVTT\n\nNOTE x\n\nid\n00:01.000 --> 00:02.000 align:start\n<v Ann>Hi\n')).toBe(
      '[00:00:01] Hi\n',
    )
  })
})
