import { describe, expect, test } from 'vitest'
import { documentMetadata } from '#src/client/document-metadata.ts'

describe('the metadata of a document', () => {
  test('has title, description, language and time of change of a page', () => {
    const fields = {
      title: ['A  page\n', 'second'],
      description: 'd',
      language: 'en-GB',
      modifiedTime: '2024-03-05T10:00:00+01:00',
      publishedTime: '2020-01-01',
      numPages: 3,
    }
    const modified = '2024-03-05T09:00:00.000Z'
    expect(documentMetadata(fields)).toEqual({ title: 'A page', description: 'd', language: 'en-GB', modified })
  })

  test('omits empty, unreadable and foreign values', () => {
    expect(documentMetadata({ title: ' ', description: 5, language: null, modifiedTime: 'yesterday' })).toEqual({})
    expect(documentMetadata({})).toEqual({})
  })

  test('falls back to Open Graph fields and to the time of publication', () => {
    const fields = { ogTitle: 't', ogDescription: 'd', publishedTime: '2020-01-01' }
    const modified = '2020-01-01T00:00:00.000Z'
    expect(documentMetadata(fields)).toEqual({ title: 't', description: 'd', modified })
  })

  test('bounds a title and never cuts a character in two', () => {
    const { title = '' } = documentMetadata({ title: `${'x'.repeat(299)}😀😀` })
    expect(title.length).toBe(300)
    expect(title.isWellFormed()).toBe(true)
  })
})
