import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

test('the Dockerfile copies only files that exist and that .dockerignore leaves in the build context', () => {
  const kept = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path = '']) => path)
  const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
    paths.split(' '),
  )
  expect(copied.length).toBeGreaterThan(5)
  expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  const isKept = (path: string): boolean => kept.some((root) => path === root || path.startsWith(`${root}/`))
  expect(copied.filter((path) => !isKept(path))).toEqual([])
})
