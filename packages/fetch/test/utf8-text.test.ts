import { expect, test } from 'vitest'
import { inUtf8 } from '../src/utf8-text.ts'

async function sent(contentType: string, ...chunks: readonly (readonly number[])[]): Promise<string> {
  async function* body() {
    for (const chunk of chunks) yield Buffer.from(chunk)
  }
  const out: Uint8Array[] = []
  for await (const chunk of inUtf8(body(), { header: () => contentType })) out.push(chunk)
  return Buffer.concat(out).toString('latin1')
}

const utf8 = (text: string): string => Buffer.from(text).toString('latin1')

test('text in an encoding that only the header names becomes UTF-8, marked as such, across chunks', async () => {
  expect(await sent('text/html; charset=windows-1251', [0xcf, 0xf0], [0xe8])).toBe(utf8('\ufeffПри'))
  expect(await sent('text/csv; header=present; charset="Shift_JIS"', [0x93], [0xfa])).toBe(utf8('\ufeff日'))
})

test('utf8Text leaves bytes in other encodings unchanged', async () => {
  for (const type of [
    'text/html; charset=UTF-8',
    'text/html',
    'application/pdf; charset=koi8-r',
    'text/html; charset=x',
  ]) {
    expect(await sent(type, [0x41, 0xff], [0xcf])).toBe('A\xff\xcf')
  }
})
