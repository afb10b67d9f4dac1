import { describe, expect, test } from 'vitest'
import { InvalidOptions, extensionOf, type Extension } from '@sluice/contract'
import { recipeBook, type RecipeSettings } from '#src/client/rules.ts'
import { sourceKey } from '#src/document/ids.ts'

function optionsFor(settings: RecipeSettings, key: string) {
  return recipeBook(settings)(sourceKey(key), extensionOf(key) as Extension).options
}

function problemsOf(settings: unknown): readonly string[] {
  try {
    recipeBook(settings as RecipeSettings)
    return []
  } catch (error) {
    if (error instanceof InvalidOptions) return error.problems
    throw error
  }
}

describe('rules of the settings', () => {
  test('enable pages and blocks for PDF unless the settings disable them', () => {
    expect(optionsFor({}, 'a.pdf').parsers).toMatchObject([{ pages: true, blocks: true }])
    const off = { options: { parsers: [{ type: 'pdf' as const, blocks: false }] } }
    expect(optionsFor(off, 'a.pdf').parsers).toMatchObject([{ pages: true, blocks: false }])
    expect(optionsFor({ options: { parsers: [] } }, 'a.pdf').parsers).toEqual([])
  })

  test('override the global options field by field, by the first match', () => {
    const settings: RecipeSettings = {
      options: { onlyMainContent: false, parsers: [{ type: 'pdf', maxPages: 9 }] },
      rules: [
        { match: 'scans/**/*.pdf', options: { parsers: [{ type: 'pdf', mode: 'ocr' }] } },
        { match: ['**/*.pdf', '**/*.csv'], options: { timeout: 60_000 } },
      ],
    }
    expect(optionsFor(settings, 'scans/2024/a.pdf')).toMatchObject({
      onlyMainContent: false,
      timeout: 30_000,
      parsers: [{ mode: 'ocr', maxPages: 9 }],
    })
    expect(optionsFor(settings, 'b.pdf')).toMatchObject({ timeout: 60_000, parsers: [{ mode: 'auto', maxPages: 9 }] })
    expect(optionsFor(settings, 'b.docx')).toMatchObject({ timeout: 30_000, onlyMainContent: false })
  })

  test('match names in any folder, dot files included, when the glob has no slash', () => {
    const settings: RecipeSettings = { rules: [{ match: '*.csv', options: { timeout: 1000 } }] }
    expect(['x.csv', 'deep/er/x.csv', '.hidden/.x.csv'].map((key) => optionsFor(settings, key).timeout)).toEqual([
      1000, 1000, 1000,
    ])
    const rooted: RecipeSettings = { rules: [{ match: 'top/*.csv', options: { timeout: 1000 } }] }
    expect(optionsFor(rooted, 'deep/top/x.csv').timeout).toBe(30_000)
  })

  test('yield one recipe object for all documents that share it', () => {
    const book = recipeBook({ rules: [{ match: 'a/**', options: { onlyMainContent: false } }] })
    expect(book(sourceKey('a/1.pdf'), 'pdf')).toBe(book(sourceKey('a/2.pdf'), 'pdf'))
    expect(book(sourceKey('a/1.pdf'), 'pdf')).not.toBe(book(sourceKey('b/1.pdf'), 'pdf'))
    expect(book(sourceKey('b/1.docx'), 'docx').hash).toBe(book(sourceKey('b/1.csv'), 'csv').hash)
  })

  test('report every mistake at once, each with its path', () => {
    const problems = problemsOf({
      options: { timeout: 300_001, formatz: 1, auditMetadata: { username: 'x'.repeat(1025), team: 'a' } },
      rules: [
        { match: 'a/**', options: { parsers: [{ type: 'pdf', maxPages: 0 }, { type: 'docx' }], proxy: 'stealth' } },
        { match: '', options: {} },
        { match: 'b/**', options: { formats: [{ type: 'json', schema: { type: 'objekt' } }] } },
        { match: 'c/**', options: { redactPII: { entities: ['EMAILS'] } }, extra: 1 },
        { match: 'd/**', options: { redactPII: { entities: ['EMAILS'] }, formats: ['screenshot'] } },
      ],
    })
    const paths = problems.map((problem) => problem.split(':')[0] ?? '')
    expect(new Set(paths)).toEqual(
      new Set([
        'options.formatz',
        'options.auditMetadata.team',
        'options.auditMetadata.username',
        'options.timeout',
        'rules[0].options.parsers[0].maxPages',
        'rules[0].options.parsers[1].type',
        'rules[0].options.proxy',
        'rules[1].match',
        'rules[2].options.formats[0].schema',
        'rules[3].extra',
        'rules[4].options.formats[0].type',
        'rules[4].options.redactPII.entities[0]',
      ]),
    )
  })
})
