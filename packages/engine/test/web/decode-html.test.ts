import { describe, expect, test } from 'vitest'
import { decodeHtml } from '../../src/web/decode-html.ts'

const bytes = (...parts: (string | number)[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from([part]))))
const utf16 = (text: string, mark: boolean): Uint8Array => Buffer.from((mark ? '\ufeff' : '') + text, 'utf16le')

describe('the encoding of a page', () => {
  test('is that of its byte order mark, which is not text, and UTF-16 is detected without a mark', () => {
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
    [
      '<meta name="description" content="charset=utf-8"><meta data-charset=gbk><meta\ncharset\n=\n"x-sjis">',
      'shift_jis',
    ],
    ['<!--><meta charset="koi8-r">', 'koi8-r'],
    ['<meta charset=x-user-defined>', 'windows-1252'],
  ])('is what %s declares', (head, encoding) => {
    expect(decodeHtml(bytes(head, '<p>', 0xa4, 0xa4), null).encoding).toBe(encoding)
  })

  test('is windows-1252 when the bytes are not UTF-8 and no known encoding is declared', () => {
    expect(decodeHtml(bytes('<p>caf', 0xe9, ' ', 0x93, 'quoted', 0x94), 'text/html; charset=nonsense').text).toBe(
      '<p>café “quoted”',
    )
  })

  test.each([
    // Sentences of the Universal Declaration of Human Rights, as bytes of the encoding.
    [
      'shift_jis',
      '93fa967b8cea82cc95b68e9a82c582b7814282b782d782c482cc906c8ad482cd814190b682dc82ea82c882aa82e782c982b582c48ea9974282c582a082e8',
    ],
    [
      'euc-jp',
      'c6fccbdcb8eca4cecab8bbfaa4c7a4b9a1a3a4b9a4d9a4c6a4cebfcdb4d6a4cfa1a2c0b8a4dea4eca4caa4aca4e9a4cba4b7a4c6bcabcdb3a4c7a4a2a4ea',
    ],
    [
      'windows-1251',
      'c2f1e520ebfee4e820f0eee6e4e0fef2f1ff20f1e2eee1eee4edfbece820e820f0e0e2edfbece820e220f1e2eee5ec20e4eef1f2eee8edf1f2e2e520e820eff0e0e2e0f5',
    ],
  ])('is %s when undeclared and the letters are of that script', (encoding, hex) => {
    const page = Buffer.concat([
      Buffer.from('<html><head><title>x</title></head><body class="main"><p>'),
      Buffer.from(hex, 'hex'),
      Buffer.from('</p>'),
    ])
    expect(decodeHtml(page, null).encoding).toBe(encoding)
  })

  test.each(['a < b ', '<script>a ', '<style '])('is found in one pass over a page of unclosed %j', (unit) => {
    const page = Buffer.concat([Buffer.from(unit.repeat(200_000)), Buffer.from('caf\u00e9 '.repeat(30), 'latin1')])
    expect(decodeHtml(page, null).encoding).toBe('windows-1252')
  })
})
