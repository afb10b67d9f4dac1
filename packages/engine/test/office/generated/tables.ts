import { utils, write } from '@e965/xlsx'
import { Draw, type GeneratedFile } from './draw.ts'

/** A binary workbook, of before 2007 or after, as SheetJS writes it: the same seed gives the same file. */
export function binarySheetFile(seed: number): GeneratedFile {
  const draw = new Draw(seed)
  const book = utils.book_new()
  const hidden: boolean[] = []
  const count = 1 + draw.below(3)
  for (let index = 0; index < count; index += 1) {
    hidden[index] = index > 0 && draw.chance(0.2)
    const make = (): void => {
      const columns = 1 + draw.below(4)
      const rows = Array.from({ length: 1 + draw.below(8) }, () =>
        Array.from({ length: columns }, () => (draw.chance(0.2) ? draw.below(1000) : draw.phrase('cell', 1, 4))),
      )
      const sheet = utils.aoa_to_sheet(rows)
      if (draw.chance(0.3)) sheet['!merges'] = [utils.decode_range('A20:B21')]
      utils.book_append_sheet(book, sheet, draw.word('sheet name'))
    }
    if (hidden[index]) draw.within('hidden sheet', make)
    else make()
  }
  book.Workbook = { Sheets: book.SheetNames.map((name, index) => ({ name, Hidden: hidden[index] ? 1 : 0 })) }
  const extension = draw.pick('xls', 'xlsb')
  const bookType = extension === 'xls' ? draw.pick('biff8', 'biff5') : 'xlsb'
  return { extension, bytes: write(book, { type: 'buffer', bookType }) as Buffer, words: draw.words }
}

/** The same byte in every encoding of Western and Central Europe: statistics cannot distinguish those in drawn words. */
const ACCENTS = ['é', 'ü', 'ö', 'ä', 'ß']

type TableEncoding = 'utf8' | 'latin1' | 'utf16le'

/** Separated values in the dialects that programs export. */
export function separatedFile(seed: number): GeneratedFile {
  const encoding = new Draw(seed).pick<TableEncoding>('utf8', 'latin1', 'utf16le')
  const draw = new Draw(seed, ACCENTS)
  const separator = draw.pick(',', ';', '\t')
  const lineEnd = draw.pick('\n', '\r\n')
  const columns = 2 + draw.below(4)
  const field = (): string => {
    const text = draw.phrase('field', 1, 4)
    if (draw.chance(0.6)) return text
    if (draw.chance(0.5)) return `"${text}"`
    return `"${text}${separator} ""${draw.word('field')}""${lineEnd}${draw.word('field')}"`
  }
  const row = (): string => Array.from({ length: columns }, field).join(separator)
  const text = draw.several(3, 12, row, lineEnd) + draw.pick('', lineEnd)
  const marked = encoding === 'utf16le' || (encoding === 'utf8' && draw.chance(0.3)) ? `\ufeff${text}` : text
  return { extension: 'csv', bytes: Buffer.from(marked, encoding), words: draw.words }
}
