import { describe, expect, test } from 'vitest'
import { decodeHtml } from '#src/engine/html/decode-html.ts'

const bytes = (...parts: (string | number)[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from([part]))))
const utf16 = (text: string, mark: boolean): Uint8Array => Buffer.from((mark ? '\ufeff' : '') + text, 'utf16le')

describe('the encoding of a page', () => {
  test('is that of its byte order mark, which is no part of the text, and UTF-16 is detected without a mark', () => {
    expect(decodeHtml(Buffer.from('\ufeffé'), 'text/html; charset=iso-8859-1')).toEqual({
      text: 'é',
      encoding: 'utf-8',
    })
    expect(decodeHtml(utf16('<p>é', true), null)).toEqual({ text: '<p>é', encoding: 'utf-16le' })
    expect(decodeHtml(utf16('<p>é', false), null).text).toBe('<p>é')
  })

  test('is UTF-8 when the bytes are valid UTF-8, even if the page declares another', () => {
    expect(decodeHtml(Buffer.from('<meta charset="windows-1252"><p>naïve 日本</p>'), null).text).toContain('naïve 日本')
  })

  test('is that of the content type when the page declares another', () => {
    const page = bytes('<meta charset="shift_jis"><p>', 0xe9, '</p>')
    expect(decodeHtml(page, 'text/html; charset=ISO-8859-2').encoding).toBe('iso-8859-2')
    expect(decodeHtml(page, null).encoding).toBe('shift_jis')
  })

  test.each([
    ['<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">', 'koi8-r'],
    ['<?xml version="1.0" encoding="ISO-8859-15"?><html>', 'iso-8859-15'],
    ['<!-- <meta charset="gbk"> --><meta name=x content=y><meta charset=big5>', 'big5'],
  ])('is what %s declares', (head, encoding) => {
    expect(decodeHtml(bytes(head, '<p>', 0xa4, 0xa4), null).encoding).toBe(encoding)
  })

  test('is windows-1252 when the bytes are not UTF-8 and no known encoding is declared', () => {
    expect(decodeHtml(bytes('<p>caf', 0xe9, ' ', 0x93, 'quoted', 0x94), 'text/html; charset=nonsense').text).toBe(
      '<p>café “quoted”',
    )
  })
})
