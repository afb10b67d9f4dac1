import { describe, expect, test } from 'vitest'
import { contradiction, signatureOf } from '@sluice/contract'

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')

describe('the first bytes of a file', () => {
  test.each([
    ['%PDF-1.7\n', 'pdf'],
    ['\u0000\u0001 some junk %PDF-1.4', 'pdf'],
    ['PK\u0003\u0004rest', 'zip'],
    ['\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1', 'ole'],
    ['{\\rtf1\\ansi', 'rtf'],
    ['\u0089PNG\r\n', 'image'],
    ['RIFF\u0000\u0001\u0000\u0000WEBPVP8 ', 'image'],
    ['RIFF\u0000\u0001\u0000\u0000WAVEfmt ', 'unknown'],
    ['\u0000\u0000\u0000\u001cftypavif', 'image'],
    ['\u0000\u0000\u0000\u000cjP  \r\n', 'image'],
    ['\u001f\u008b\u0008', 'archive'],
    ['\u007fELF', 'program'],
    ['\u00ff\u00fea\u0000b\u0000', 'text'],
    ['name;town\n', 'text'],
    ['ab\u0000cd', 'unknown'],
  ] as const)('%j identify %s', (head, signature) => {
    expect(signatureOf(bytes(head))).toBe(signature)
  })
})

describe('a file behind the wrong extension', () => {
  test('is refused when it is certainly another format', () => {
    expect(contradiction('pdf', 'zip')).toMatch(/ZIP/)
    expect(contradiction('pdf', 'text')).toBe('plain text')
    expect(contradiction('docx', 'pdf')).toBe('a PDF')
    expect(contradiction('html', 'zip')).toMatch(/ZIP/)
    expect(contradiction('xlsx', 'image')).toBe('an image')
  })

  test('is refused when an image has another name, or another file has the name of an image', () => {
    expect(contradiction('pdf', 'image')).toBe('an image')
    expect(contradiction('png', 'pdf')).toBe('a PDF')
    expect(contradiction('tiff', 'zip')).toMatch(/ZIP/)
  })

  test('is accepted when it is an image under the name of another image format', () => {
    expect(contradiction('png', 'image')).toBeNull()
    expect(contradiction('bmp', 'text')).toBeNull()
    expect(contradiction('bmp', 'unknown')).toBeNull()
  })

  test('is accepted when a converter may still read it', () => {
    expect(contradiction('doc', 'rtf')).toBeNull()
    expect(contradiction('doc', 'text')).toBeNull()
    expect(contradiction('docx', 'ole')).toBeNull()
    expect(contradiction('xls', 'zip')).toBeNull()
    expect(contradiction('pdf', 'unknown')).toBeNull()
    expect(contradiction('csv', 'text')).toBeNull()
  })
})
