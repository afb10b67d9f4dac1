import { assertNever } from '../../../../../src/kit/assert-never.ts'
import { Draw, type GeneratedFile } from './draw.ts'
import { Markup } from './page-markup.ts'

/** Letters that every encoding below spells otherwise, and that no reader may lose. */
const ACCENTS = ['é', 'ü', 'ñ', 'ø', 'ß']

type Encoding = 'utf8' | 'utf8 with a mark' | 'utf16le' | 'utf16be' | 'windows-1252' | 'undeclared windows-1252'

/** A web page in one of the encodings that are met, declared or not: the same seed gives the same file. */
export function pageFile(seed: number): GeneratedFile {
  const draw = new Draw(seed, ACCENTS)
  const markup = new Markup(draw, false)
  const encoding = draw.pick<Encoding>(
    'utf8',
    'utf8 with a mark',
    'utf16le',
    'utf16be',
    'windows-1252',
    'undeclared windows-1252',
  )
  const charset = { 'windows-1252': draw.pick('windows-1252', 'iso-8859-1'), utf8: 'utf-8' }[encoding as string]
  const declared =
    charset === undefined
      ? ''
      : draw.pick(
          `<meta charset="${charset}">`,
          `<meta http-equiv="Content-Type" content="text/html; charset=${charset}">`,
        )
  const body = draw.several(2, 9, () => markup.block())
  const html = `${draw.pick('<!DOCTYPE html>', '')}<html><head>${declared}<title>T</title></head><body><h1>${draw.phrase('heading', 1, 4)}</h1>${body}</body></html>`
  return { extension: 'html', bytes: encoded(html, encoding), words: draw.words }
}

function encoded(html: string, encoding: Encoding): Buffer {
  switch (encoding) {
    case 'utf8':
      return Buffer.from(html)
    case 'utf8 with a mark':
      return Buffer.from(`\ufeff${html}`)
    case 'utf16le':
      return Buffer.from(`\ufeff${html}`, 'utf16le')
    case 'utf16be':
      return Buffer.from(`\ufeff${html}`, 'utf16le').swap16()
    case 'windows-1252':
    case 'undeclared windows-1252':
      return Buffer.from(html, 'latin1')
    default:
      return assertNever(encoding)
  }
}
