import { expect, test } from 'vitest'
import { neverSendMatcher } from '#src/route/never-send.ts'
import { Random } from '../support/random.ts'
import { seedFrom } from '../support/seed.ts'

const stays = (key: string, ...globs: string[]): boolean => neverSendMatcher(globs).stays(key)

test('a never-send glob covers the folder or archive that it names and everything in it', () => {
  expect(stays('hr/2024/a.pdf', 'hr/**')).toBe(true)
  expect(stays('hr/2024/a.pdf', 'hr')).toBe(true)
  expect(stays('hr/2024/a.pdf', 'hr/')).toBe(true)
  expect(stays('hr/2024/a.pdf', './hr')).toBe(true)
  expect(stays('x/hr/2024/a.pdf', 'hr')).toBe(true)
  expect(stays('x/hr/2024/a.pdf', 'hr/**')).toBe(false)
  expect(stays('x/salaries.zip/inner/b.docx', '*.zip')).toBe(true)
  expect(stays('x/salaries.zip/inner/b.docx', 'x/salaries.zip')).toBe(true)
  expect(stays('hrx/a.pdf', 'hr')).toBe(false)
  expect(stays('a.pdf')).toBe(false)
})

test('a never-send glob matches in any letter case and encoding', () => {
  expect(stays('HR/a.PDF', 'hr/*.pdf')).toBe(true)
  expect(stays('Verträge/a.pdf'.normalize('NFD'), 'verträge'.normalize('NFC'))).toBe(true)
  expect(stays('.secret/.a.pdf', '.secret/**')).toBe(true)
})

const seed = seedFrom('GLOB_SEED', 1)

test('a random never-send folder keeps documents at any depth below it, and their siblings are sent', () => {
  const random = new Random(seed)
  const name = (): string =>
    Array.from({ length: 1 + random.below(8) }, () => 'abcäß é-_0[]()+'[random.below(15)]).join('')
  for (let round = 0; round < 300; round += 1) {
    const parts = Array.from({ length: 2 + random.below(4) }, (_, index) => `${name()}${index}`)
    const at = 1 + random.below(parts.length - 1)
    const folder = parts.slice(0, at).join('/')
    const glob = folder.replaceAll(/[[\]()+]/g, '\\$&')
    const other = [...parts.slice(0, at - 1), `${parts[at - 1]}x`, ...parts.slice(at)].join('/')
    const shown = `seed ${seed}, round ${round}: ${JSON.stringify([glob, parts.join('/')])}`
    expect(stays(parts.join('/'), `${glob}/**`), shown).toBe(true)
    expect(stays(other, `${glob}/**`), `${shown}, other ${other}`).toBe(false)
  }
})

test('a never-send glob that no document matches is named, also when another one matched first', () => {
  const { stays: mustStay, unmatched } = neverSendMatcher(['hr/**', 'salaries/**', 'hr/2024/*.pdf'])
  expect(unmatched()).toEqual(['hr/**', 'salaries/**', 'hr/2024/*.pdf'])
  for (const key of ['hr/2024/a.pdf', 'public/b.pdf']) mustStay(key)
  expect(unmatched()).toEqual(['salaries/**'])
})
