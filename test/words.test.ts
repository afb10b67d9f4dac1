import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')

/** Persons where a component acts: a sentence with one of them hides which part of the program does it. */
const PERSONS = ['nobody', 'somebody', 'whoever', 'everybody', 'anybody']
const PERSON = new RegExp(`\\b(?:${PERSONS.join('|')})\\b`, 'i')

const FOLDERS = ['src', 'workers', 'config', 'test', 'bench', 'scripts', 'docs']
const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'Dockerfile',
  'docker-compose.yml',
]

/** The list itself, and texts that are documents or vocabulary of documents, not prose of the project. */
const EXEMPT: readonly RegExp[] = [
  /^test\/words\.test\.ts$/,
  /^test\/fixtures\//,
  /^scripts\/samples\/content\//,
  /^test\/engine\/pdf\/layout\/layout-page\.test\.ts$/,
]

const PROSE = /\.(?:ts|mjs|lua|sh|md|ya?ml|json)$/

function written(): string[] {
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  return [...inFolders.filter((path) => PROSE.test(path)), ...PAGES].filter(
    (path) => !EXEMPT.some((exempt) => exempt.test(path)),
  )
}

function breaches(path: string, text: string): string[] {
  return text.split('\n').flatMap((line, at) => (PERSON.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : []))
}

test('prose names the component that acts, never a person', () => {
  const files = written()
  expect(files.length).toBeGreaterThan(800)
  expect(files.flatMap((path) => breaches(path, readFileSync(join(ROOT, path), 'utf8')))).toEqual([])
})

test('the word check finds each of its words in a sentence', () => {
  for (const word of [...PERSONS, ...PERSONS.map((person) => person.toUpperCase())])
    expect(breaches('x.ts', `first\n/* ${word} waits */`)).toHaveLength(1)
  expect(breaches('x.ts', '/* the worker waits */')).toEqual([])
})
