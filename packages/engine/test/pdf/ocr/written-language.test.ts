import { expect, test } from 'vitest'
import { writtenAmong, writtenLanguage, writtenLanguages } from '../../../src/pdf/ocr/written-language.ts'

const SENTENCES: Readonly<Record<string, string>> = {
  English:
    'The harbour was built by the town in the year of the flood and its walls have stood at the mouth of the river since then',
  German:
    'Der Hafen wurde von der Stadt im Jahr der Flut gebaut und die Mauern sind auch nach dem Sturm nicht mit dem Fluss gegangen',
  French:
    'Le port a été construit par la ville dans les années qui ont suivi et les murs ne sont pas partis avec le fleuve pour la mer',
  Spanish:
    'El puerto fue construido por la ciudad en los años que siguieron y las paredes se encuentran como una torre sobre el mar',
  Italian:
    'Il porto non era della città ma dei mercanti che sono venuti con le navi nel mare e da una torre si vede anche questa costa',
  Portuguese:
    'O porto foi construído pela cidade para os navios que vêm do mar e as paredes não são mais uma torre da costa como no ano',
  Dutch:
    'De haven is door de stad voor het schip van een koopman gebouwd en de muren zijn niet met het water van de zee naar de kust',
  Polish:
    'Port nie jest przez to miasto dla tych ale jego mury do morza oraz jak wieża po drugiej stronie przy tym co się tak nie da',
  Swedish:
    'Hamnen är inte byggd av staden men den har en mur och det som var vid havet till eller efter ett år att han med sig inte',
}

test.each(Object.entries(SENTENCES))('prose in %s is known by its commonest words', (name, sentence) => {
  const prose = `${sentence}. `.repeat(4)
  expect(writtenLanguage(prose)).toBe(name)
  // OCR with English data loses the marks on letters.
  expect(writtenLanguage(prose.normalize('NFD').replace(/\p{M}/gu, ''))).toBe(name)
})

test('a short text, a list of names and another script show no language', () => {
  expect(writtenLanguage(SENTENCES['German'] ?? '')).toBe(null)
  expect(writtenLanguage('Sloop Brig Barque Ketch Yawl Cutter '.repeat(20))).toBe(null)
  expect(writtenLanguage('감염병의 예방 및 관리에 관한 법률 '.repeat(30))).toBe(null)
})

test('a German quotation in an English text does not make it German', () => {
  const text = `${SENTENCES['English'] ?? ''} `.repeat(4) + (SENTENCES['German'] ?? '')
  expect(writtenLanguage(text)).toBe('English')
})

test('a text with passages in several languages is known to be in each of them', () => {
  const passage = (name: string): string => `${SENTENCES[name]}. `.repeat(7)
  expect(writtenLanguages(passage('German') + passage('French')).toSorted()).toEqual(['French', 'German'])
  expect(writtenLanguages(passage('Polish'))).toEqual(['Polish'])
  expect(writtenLanguages('Total 12.50 EUR')).toEqual([])
})

test('a sentence suffices among few languages, and a paragraph next to one in another language', () => {
  const [english = '', german = ''] = [SENTENCES['English'], SENTENCES['German']]
  expect(writtenAmong(german, ['English', 'German'])).toEqual(['German'])
  expect(writtenAmong(english, ['English', 'German'])).toEqual(['English'])
  expect(writtenAmong(`${english} and ever. ${english} ${german} ${german}`, ['English', 'German'])).toEqual([
    'English',
    'German',
  ])
  expect(writtenAmong(german, ['English', 'French'])).toEqual([])
  expect(writtenAmong('Total 12.50 EUR', ['English', 'German'])).toEqual([])
})
