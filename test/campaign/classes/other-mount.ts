import { createHash } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readStoreOutside } from '../checker/store-outside.ts'
import type { FaultClass } from './fault-class.ts'

/** Time for a worker to load, to check three times and to stop. */
const LOOKS_MS = 4_000

/** What a document of the other folder holds. The service would parse it. */
const OTHER = '<p>a document of another archive'
const HASH = createHash('sha256').update(OTHER).digest('hex')

/** A worker on whose machine another folder is mounted at the path of the source: empty, or with the same names. */
export const otherMount: FaultClass = {
  target: 'folder',
  async inject({ processes, environment, archive, files, random, breaches, note, kill }) {
    // Alone, it has the whole queue; beside others, they may have emptied it before it has loaded.
    if (random.next() < 0.6) await kill(processes.living)
    const source = `${environment.source}-other`
    await mkdir(source)
    const names = random.next() < 0.5 ? [] : archive.keys
    for (const name of names) {
      await mkdir(dirname(join(source, name)), { recursive: true })
      await writeFile(join(source, name), OTHER)
    }
    const worker = processes.start('work', [], { source, sourceName: processes.sourceName })
    await Promise.race([worker.finished, sleep(LOOKS_MS)])
    const { records, letters } = await readStoreOutside(files)
    if (processes.living.includes(worker)) await processes.terminate(worker)
    await rm(source, { recursive: true, force: true })
    note(`a worker saw ${names.length} documents of another archive`)
    for (const { key, failure } of letters.values()) {
      const isThere = failure.code === 'vanished' && archive.keys.includes(key)
      if (isThere) breaches.lost.push(`${key} ended as vanished, and is in the source`)
    }
    for (const { key, contentHash } of records.values()) {
      if (contentHash === HASH) breaches.lost.push(`${key} has the outputs of a document of another archive`)
    }
  },
}
