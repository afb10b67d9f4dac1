import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { LanguageStore } from '../../src/languages/language-store.ts'
import { convertPdf } from '../../src/pdf/convert-pdf.ts'
import { paragraph } from '../../../../test/support/build-pdf.ts'
import { BuiltPdfs } from '../../../../test/support/built-pdfs.ts'
import { shared } from '../../../../test/support/shared.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'

const GERMAN = [
  'Der Hafen wurde von der Stadt im Jahr der Flut gebaut, und die Mauern',
  'sind auch nach dem Sturm nicht mit dem Fluss gegangen. Größere Schiffe',
  'dürfen nur bei Tag über die Schwelle fahren, während kleine Boote das',
  'ganze Jahr für die Überfahrt genügen. Die Gebühr für das Anlegen wird',
  'bei der Ankunft bezahlt, und wer länger bleibt, erhält von der Behörde',
  'eine Ermäßigung, die sich nach der Größe des Schiffes richtet.',
]
const FRENCH = [
  'Le port a été construit par la ville dans les années qui ont suivi la crue,',
  'et les murs ne sont pas partis avec le fleuve pour la mer. Les bateaux plus',
  'légers sont attachés derrière la jetée où ils restent pendant tout l’été,',
  'et ceux qui sont arrivés après la tempête ont dû être réparés sur le quai',
  'par des ouvriers que la société a fait venir de la région voisine.',
]

const pdfs = await shared(BuiltPdfs.open())
const { path: fetched } = await shared(tempFolder())
let reason = ''
beforeAll(async () => {
  const store = new LanguageStore({ folder: fetched, notify: (line) => (reason = line) })
  const all = await Promise.all([store.obtain(['deu']), store.obtain(['fra'])])
  if (all.every(Boolean)) reason = ''
}, 240_000)

const OPTIONS = { type: 'pdf', mode: 'auto', pages: false, blocks: true, pageMarkers: false } as const

async function read(lines: readonly string[], allowed: readonly string[] | null, folder: string | null) {
  const path = await pdfs.writeScan([{ content: paragraph(60, 80, lines, 12) }])
  const ocr = { fetched: folder, allowed }
  const result = await convertPdf({ path, cacheFolder: pdfs.cacheFolder, onlyMainContent: false, ocr }, OPTIONS)
  const text = result.markdown.replace(/\s+/g, ' ')
  return { ...result, text, status: result.blocks?.[0]?.status }
}

describe('a scan in a language other than English', () => {
  test('is partial without its data, which the answer names', async () => {
    const { status, warning, lackingLanguages } = await read(GERMAN, null, join(fetched, 'none'))
    expect(status).toBe('partial')
    expect(warning).toMatch(/^These pages are written in German, which OCR has no data for/)
    expect(lackingLanguages).toEqual(['deu'])
  }, 240_000)

  test('is read with its data, and a page of two languages with the data of both', async (context) => {
    if (reason !== '') context.skip(`the registry of npm cannot be reached: ${reason}`)
    const german = await read(GERMAN, null, fetched)
    expect(german).toMatchObject({ status: 'ok', warning: null, lackingLanguages: [] })
    for (const word of ['Größere', 'dürfen', 'während', 'genügen', 'Behörde', 'Ermäßigung']) {
      expect(german.text).toContain(word)
    }
    const both = await read([...GERMAN, '', ...FRENCH, ...FRENCH], null, fetched)
    expect(both).toMatchObject({ status: 'ok', warning: null })
    for (const word of ['Größere', 'während', 'années', 'légers', 'tempête', 'société'])
      expect(both.text).toContain(word)
    const few = await read(['Größere Schiffe dürfen nur', 'während der Ebbe anlegen.'], ['eng', 'deu'], fetched)
    expect(few).toMatchObject({ status: 'ok', lackingLanguages: [] })
    for (const word of ['Größere', 'dürfen', 'während']) expect(few.text).toContain(word)
    const barred = await read(GERMAN.slice(0, 4), ['eng', 'fra'], fetched)
    expect(barred).toMatchObject({ status: 'partial', lackingLanguages: [] })
  }, 240_000)
})
