import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { Random } from '../support/random.ts'
import { ScriptedService } from '../support/scripted-service.ts'
import { sluice } from '../support/sluice.ts'
import { seedFrom } from '../support/seed.ts'

const SEED = seedFrom('SKIPPED_SEED', 16)

/** Names that a real folder holds, by what becomes of them. */
const NAMES = {
  done: ['report.html', 'table.csv', 'Page.HTM', 'scan.xhtml'],
  skipped: [
    'photo.psd',
    'drawing.vsdx',
    'clip.mov',
    'README',
    'Thumbs.db',
    '.DS_Store',
    '~$report.docx',
    'desktop.ini',
  ],
  also: ['.env', 'movie.mp4.part', 'song.mp3', 'a.b.xyz', '._report.html', 'noise.tmp'],
} as const
const FOLDERS = ['', 'a', 'a/b', '.git/objects', 'node', '__MACOSX', 'deep/er/still'] as const

interface Status {
  readonly seen: number
  readonly done: number
  readonly failed: number
  readonly skipped: number
}

/** Files of a folder at random: what is a document and what is none is determined by names alone, as a person would. */
async function manyFiles(source: string, seed: number): Promise<{ readonly documents: number; readonly all: number }> {
  const random = new Random(seed)
  const keys = new Map<string, boolean>()
  for (let number = 0; number < 60; number++) {
    const folder = random.pick<string>(FOLDERS)
    const isDocument = random.below(2) === 0
    const name = isDocument ? random.pick<string>(NAMES.done) : random.pick<string>([...NAMES.skipped, ...NAMES.also])
    const isOpen = !folder.startsWith('.') && !folder.startsWith('_')
    keys.set(join(folder, name), isDocument && isOpen)
  }
  for (const key of keys.keys()) {
    await mkdir(dirname(join(source, key)), { recursive: true })
    await writeFile(join(source, key), `<p>${key}`)
  }
  return { documents: [...keys.values()].filter((isDocument) => isDocument).length, all: keys.size }
}

test(`run counts every file of a random folder once, and fails no file of an unsupported format (seed ${SEED})`, async () => {
  await using folder = await tempFolder()
  await using service = await new ScriptedService({}).listen()
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'in', 'out')]
  await mkdir(source)
  const { documents, all } = await manyFiles(source, SEED)
  await symlink('report.html', join(source, 'link.html'))
  const args = [source, '--out', out, '--parse-api-url', service.url, '--parse-api-key', 'k']
  const ran = await sluice(['run', ...args])
  expect(ran.code).toBe(0)
  const status = JSON.parse((await sluice(['status', ...args, '--json'])).stdout) as Status
  expect(status).toMatchObject({ seen: all + 1, done: documents, failed: 0, skipped: all + 1 - documents })
  expect((await readStore(out)).letters.size).toBe(0)
  expect(ran.stdout).toMatch(new RegExp(`skipped ${status.skipped}: `))
  expect(ran.stdout).toMatch(/1 symbolic link/)
  expect(ran.stdout).toMatch(/left out: out\/ \(a Sluice store\)/)
  expect((await sluice(['run', ...args, '--strict'])).code).toBe(2)
}, 240_000)

test('run skips another store inside the source with one line, and ingests none of its files', async () => {
  await using folder = await tempFolder()
  await using service = await new ScriptedService({}).listen()
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  await mkdir(source)
  await writeFile(join(source, 'a.html'), '<p>a')
  const against = ['--parse-api-url', service.url, '--parse-api-key', 'k']
  expect((await sluice(['run', source, '--out', join(source, 'older'), ...against])).code).toBe(0)
  const planned = await sluice(['plan', source, '--out', out, ...against])
  expect(planned.stdout.match(/^left out: .*$/gm)).toEqual(['left out: older/ (a Sluice store)'])
  const ran = await sluice(['run', source, '--out', out, ...against])
  expect(ran.code).toBe(0)
  expect(ran.stdout.match(/^left out: .*$/gm)).toEqual(['left out: older/ (a Sluice store)'])
  expect((await readdir(join(out, 'documents'))).filter((name) => name !== 'a.html')).toEqual([])
}, 240_000)
