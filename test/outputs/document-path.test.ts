import * as fc from '../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import {
  documentPath,
  FOLDER_MAX_BYTES,
  isDocumentFolder,
  letterName,
  type PathRules,
} from '#src/outputs/document-path.ts'
import { NASTY_KEYS } from '../support/nasty-keys.ts'

const PLAIN: PathRules = { folds: false, maxBytes: FOLDER_MAX_BYTES }
const FOLDING: PathRules = { folds: true, maxBytes: FOLDER_MAX_BYTES }
const TIGHT: PathRules = { folds: false, maxBytes: 100 }

const path = (key: string, rules: PathRules = PLAIN): string => documentPath(sourceKey(key), rules)

/** What a file system that folds makes of a name, at its most forgetful: full case folding and compatibility forms. */
const fold = (text: string): string => text.normalize('NFKD').toUpperCase().toLowerCase().normalize('NFKD')

/** Keys made of the pieces that are dangerous next to each other, and any text at all. */
const piece = fc.constantFrom(
  'a',
  'A',
  'é',
  'e\u0301',
  'ß',
  'ss',
  'ſ',
  's',
  '.',
  '..',
  '/',
  '%',
  '%2E',
  '.pdf',
  '.PDF',
  '%doc',
  '~',
  ' ',
  '\\',
  '\u0000',
  '\ud800',
  '\udc00',
  'con',
  'x'.repeat(120),
  '%long',
  '.md',
)
const key = fc.oneof(
  fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }),
)

function isSafe(result: string, rules: PathRules): boolean {
  const segments = result.split('/')
  return (
    Buffer.byteLength(result) <= Math.max(rules.maxBytes, 100) &&
    segments.every(
      (segment) =>
        segment !== '' &&
        segment !== '.' &&
        segment !== '..' &&
        Buffer.byteLength(segment) <= 255 &&
        !/[\u0000-\u001f\u007f\\<>:"|?*]|[. ]$|\p{Surrogate}/u.test(segment) &&
        !/^(con|nul|aux|prn|com\d|lpt\d)(\.|$)/i.test(segment),
    ) &&
    isDocumentFolder(segments.at(-1) as string) &&
    !segments.slice(0, -1).some(isDocumentFolder)
  )
}

describe('the path of a document', () => {
  test('is the key itself for a harmless key', () => {
    expect(path('reports/2024/q3 final (2).pdf')).toBe('reports/2024/q3 final (2).pdf')
    expect(path('Übersicht/日本語.docx')).toBe('Übersicht/日本語.docx')
  })

  test('escapes the harmful parts of a key', () => {
    expect(path('../x.pdf')).toBe('%2E%2E/x.pdf')
    expect(path('/x.pdf')).toBe('%/x.pdf')
    expect(path('a.pdf/b.pdf')).toBe('a%2Epdf/b.pdf')
    expect(path('README')).toBe('README%doc')
    expect(path('nul.pdf')).toBe('%6Eul.pdf')
  })

  test.each([
    ['a plain', PLAIN],
    ['a folding', FOLDING],
    ['a tight', TIGHT],
  ])('is safe and never inside that of another on %s store', (_name, rules) => {
    fc.assert(
      fc.property(key, (text) => isSafe(path(text, rules), rules)),
      { numRuns: 2000 },
    )
    for (const text of NASTY_KEYS) expect([text, isSafe(path(text, rules), rules)]).toEqual([text, true])
  })

  test.each([
    ['a plain', PLAIN, (text: string) => text],
    ['a folding', FOLDING, fold],
    ['a tight', TIGHT, (text: string) => text],
  ])('is distinct for distinct keys on %s store', (_name, rules, seenAs) => {
    fc.assert(
      fc.property(fc.uniqueArray(key, { minLength: 2, maxLength: 30 }), (keys) => {
        expect(new Set(keys.map((text) => seenAs(path(text, rules)))).size).toBe(keys.length)
        expect(new Set(keys.map((text) => seenAs(letterName(sourceKey(text))))).size).toBe(keys.length)
      }),
      { numRuns: 1000 },
    )
    expect(new Set(NASTY_KEYS.map((text) => seenAs(path(text, rules)))).size).toBe(NASTY_KEYS.length)
  })
})

test.each(['png', 'jpg', 'jpeg', 'jp2', 'tif', 'tiff', 'gif', 'bmp', 'webp', 'avif'])(
  'a folder named like .%s keeps its path of 0.2.0, and a document with that extension ends in the mark',
  (extension) => {
    expect(path(`scans.${extension}/page.pdf`)).toBe(`scans.${extension}/page.pdf`)
    expect(isDocumentFolder(`scans.${extension}`)).toBe(false)
    expect(path(`scans/photo.${extension}`)).toBe(`scans/photo.${extension}%doc`)
    expect(isDocumentFolder(`photo.${extension}%doc`)).toBe(true)
  },
)
