import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sourceKey } from '#src/document/ids.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import { bootFrame, readSegment } from '#src/outputs/folder/journal/entry.ts'
import type { JournalLimits } from '#src/outputs/folder/journal/journal.ts'
import { receiptOf, sha256 } from '../../support/documents.ts'
import { Random } from '../../support/random.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { type DiskCall, DiskModel } from './disk-model.ts'

const [PRELOAD, PROGRAM] = ['log-writes.ts', 'write-generations.ts'].map((name) =>
  join(import.meta.dirname, '../../support/processes', name),
)

/** Small, so that segments are closed and flushed while the program writes. */
const JOURNALS: readonly JournalLimits[] = [
  { bytes: 4_000, delayMs: 0 },
  { bytes: 30_000, delayMs: 2 },
  { bytes: 1_000_000, delayMs: 1 },
]

const POINTS = 20

/** Receipts and documents that were reported as safe, at the least: a program that reports none proves nothing. */
const MIN_SAFE = 50

/**
 * Lets a program write a store, in two of three seeds with a journal, then loses the power at drawn moments of it. Answers what
 * was wrong, a sentence each.
 */
export async function cutPower(seed: number): Promise<readonly string[]> {
  const random = new Random(seed)
  await using folder = await tempFolder()
  const [root, log] = [join(folder.path, 'store'), join(folder.path, 'log')]
  await mkdir(root)
  const env = { ...process.env, DISK_LOG: log }
  const journal = random.chance(2 / 3) ? [JSON.stringify(random.pick(JOURNALS))] : []
  const program = ['--import', PRELOAD ?? '', PROGRAM ?? '', root, String(seed), ...journal]
  await promisify(execFile)(process.execPath, program, { env })
  const lines = (await readFile(log, 'utf8')).trim().split('\n')
  const calls = lines.map((line) => JSON.parse(line) as DiskCall)
  const breaches = await differences(calls, root)
  let safe = 0
  for (let point = 0; point < POINTS; point++) {
    const at = random.below(calls.length + 1)
    const lost = join(folder.path, `lost-${point}`)
    const disk = new DiskModel(root)
    for (const call of calls.slice(0, at)) disk.apply(call)
    await disk.lose(lost, random)
    const reported = calls.slice(0, at).flatMap((call) => (call.call === 'said' ? [call.text.split(' ')] : []))
    const wrong = await checkStore(lost, reported)
    safe += reported.filter(([what]) => what === 'document' || what === 'receipt').length
    breaches.push(...wrong.map((sentence) => `seed ${seed}, after call ${at} of ${calls.length}: ${sentence}`))
  }
  if (safe < MIN_SAFE) breaches.push(`seed ${seed}: only ${safe} items were reported as safe`)
  return breaches
}

/** The log is whole only if the model holds at its end what the real folder does. */
async function differences(calls: readonly DiskCall[], root: string): Promise<string[]> {
  const disk = new DiskModel(root)
  for (const call of calls) disk.apply(call)
  const paths: string[] = []
  for (const dirent of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(dirent.parentPath, dirent.name)
    paths.push(path.slice(root.length + 1) + (dirent.isFile() ? ` ${(await stat(path)).size}` : ''))
  }
  const same = JSON.stringify(paths.toSorted()) === JSON.stringify(disk.list())
  return same
    ? []
    : [`the model differs from the disk: ${JSON.stringify({ disk: paths.toSorted(), model: disk.list() })}`]
}

async function checkStore(path: string, reported: readonly (readonly string[])[]): Promise<string[]> {
  const wrong: string[] = []
  await startMachineAgain(path)
  const store = await openFolderStore({ path })
  await store.maintenance.recover()
  const left = await namesIn(join(path, '.sluice', 'journal'))
  if (left.length > 0) wrong.push(`the journal still holds ${left.join(', ')}`)
  const keys = new Set(reported.map(([, key = '']) => key))
  for (const key of keys) {
    const last = (what: string): number =>
      Math.max(0, ...reported.filter(([said, of]) => said === what && of === key).map(([, , number]) => Number(number)))
    const record = await store.documents.read(sourceKey(key))
    const [safe, begun] = [last('document'), last('begins')]
    const found = record?.attempts ?? 0
    // A removal is not flushed: until the next commit of the document its record may be there again.
    const least = last('removing') === safe ? 0 : safe
    if (found < least || found > begun)
      wrong.push(`${key}: generation ${found}, though ${safe} was safe and ${begun} begun`)
    for (const { name, sha256: digest } of record?.files ?? []) {
      const bytes = await store.documents.readOutput(sourceKey(key), name)
      if (bytes === null || sha256(bytes) !== digest) wrong.push(`${key}: ${name} of generation ${found} is not whole`)
    }
    const letter = await store.deadLetters.read(sourceKey(key))
    if (
      last('letter') > safe &&
      last('removed') < last('letter') &&
      begun === last('letter') &&
      letter === null &&
      found < begun
    )
      wrong.push(`${key}: the dead letter of generation ${last('letter')} is gone`)
  }
  for (const [, key, generation] of reported.filter(([what]) => what === 'receipt')) {
    const text = `${key} ${generation} `
    const receipt = await store.receipts.read(receiptOf(text))
    if (receipt?.body.toString() !== text.repeat(50)) wrong.push(`the receipt of ${key} ${generation} is not whole`)
  }
  return wrong
}

/** The program ran in the present boot; its journal is to be one of the boot before. */
async function startMachineAgain(path: string): Promise<void> {
  const folder = join(path, '.sluice', 'journal')
  for (const name of await namesIn(folder)) {
    const bytes = await readFile(join(folder, name))
    const { boot } = readSegment(bytes)
    if (boot === null) continue
    await writeFile(
      join(folder, name),
      Buffer.concat([bootFrame('boot before'), bytes.subarray(bootFrame(boot).length)]),
    )
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => [])
}
