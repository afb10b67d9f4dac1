import { describe, expect, test } from 'vitest'
import { convertCsv } from '../../src/sheets/convert-csv.ts'

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')
const markdownOf = async (bytes: Buffer, contentType: string | null = null): Promise<string> =>
  (await convertCsv(bytes, contentType)).markdown

describe('a table of separated values', () => {
  test.each([
    ['commas', 'a,b\n"1,5",2\n'],
    ['semicolons', 'a;b\n1,5;2\n'],
    ['tabs', 'a\tb\n1,5\t2\n'],
  ])('is read with %s', async (_separator, text) => {
    expect((await markdownOf(Buffer.from(text))).trim()).toBe('| a | b |\n| --- | --- |\n| 1,5 | 2 |')
  })

  test.each([
    ['UTF-16 with a mark', Buffer.from('\uFEFFnaïve,x\n', 'utf16le'), null, 'naïve'],
    ['UTF-8', Buffer.from('naïve,x\n'), null, 'naïve'],
    ['Latin-1 that was declared', Buffer.from('naïve,x\n', 'latin1'), 'text/csv; charset=ISO-8859-1', 'naïve'],
    [
      'Shift-JIS that was not declared',
      // これは日本語のテキストです,東京都の天気は晴れ
      hex(
        '82b1 82ea 82cd 93fa 967b 8cea 82cc 8365 834c 8358 8367 82c5 82b7 2c 938c 8b9e 9373 82cc 9356 8b43 82cd 90b0 82ea 0a',
      ),
      null,
      '日本語のテキスト',
    ],
    [
      'Windows-1251 that was not declared',
      // Имя,Город / Анна,Москва / Иван,Санкт-Петербург
      hex(
        'c8ec ff2c c3ee f0ee e40a c0ed ede0 2ccc eef1 eae2 e00a c8e2 e0ed 2cd1 e0ed eaf2 2dcf e5f2 e5f0 e1f3 f0e3 0a',
      ),
      null,
      'Москва',
    ],
  ])('is read in %s', async (_encoding, bytes, contentType, word) => {
    expect(await markdownOf(bytes, contentType)).toContain(word)
  })

  test('is read with the separator that its first line names, without that line as a row', async () => {
    const table = '| a,b | c |\n| --- | --- |\n| 1 | 2,5 |'
    expect((await markdownOf(Buffer.from('sep=;\r\na,b;c\r\n1;2,5\r\n'))).trim()).toBe(table)
  })

  test('is read line by line when programs of two encodings wrote it', async () => {
    const lines = ['city,street', 'Zürich,Rämistraße', 'Genève,Rue de la Scie']
    const bytes = Buffer.concat([
      Buffer.from(`${lines.join('\n')}\n`),
      Buffer.from('München,Schäfflerstraße\n', 'latin1'),
    ])
    const markdown = await markdownOf(bytes)
    for (const name of ['Zürich', 'Genève', 'München', 'Schäfflerstraße']) expect(markdown).toContain(name)
  })
})
