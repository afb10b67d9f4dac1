import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type RunningSluice, startSluice } from '../../support/sluice.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { readStore } from '../../support/check-store.ts'
import type { FaultContext } from './fault-class.ts'

/** A run as a person without any service starts it: embedded engine, private Redis, a source and a store of its own. */
export interface OnItsOwn {
  readonly folder: string
  readonly start: (env?: Readonly<Record<string, string>>, flags?: readonly string[]) => RunningSluice
  /** Every document must be there, whole, and nothing of these runs may be left behind. */
  readonly expectAllDone: () => Promise<void>
}

/** Plays beside the archive of the campaign, with documents of its own. */
export async function onItsOwn(context: FaultContext, play: (own: OnItsOwn) => Promise<void>): Promise<void> {
  const { random, breaches, processes } = context
  await using folder = await tempFolder()
  const [source, out, tmp] = ['in', 'out', 'tmp'].map((name) => join(folder.path, name)) as [string, string, string]
  await mkdir(source)
  await mkdir(tmp)
  const documents = 3 + random.below(12)
  for (let number = 0; number < documents; number++) {
    await writeFile(join(source, `${number}.csv`), `name,value\nrow ${number},${random.next()}\n`)
  }
  const living = new Set<RunningSluice>()
  const start: OnItsOwn['start'] = (env = {}, flags = []) => {
    const { main, compileCache } = processes.program
    const all = [`--out=${out}`, '--grace-ms=300', '--engine-processes=1', ...flags]
    const running = startSluice(['run', source, ...all], {
      program: main,
      env: { NODE_COMPILE_CACHE: compileCache, TMPDIR: tmp, ...env },
    })
    living.add(running)
    void running.finished.then(() => living.delete(running))
    return running
  }
  const expectAllDone = async (): Promise<void> => {
    try {
      const { records, letters } = await readStore(out)
      if (letters.size > 0)
        breaches.unexplained.push(`${letters.size} documents failed: ${reported([...letters.values()])}`)
      if (records.size < documents)
        breaches.lost.push(`${documents - records.size} of ${documents} documents, on its own`)
    } catch (error) {
      breaches.torn.push(String(error))
    }
    const left = await readdir(tmp)
    if (left.length > 0) breaches.unexplained.push(`left in the temporary folder: ${left.join(' ')}`)
  }
  try {
    await play({ folder: folder.path, start, expectAllDone })
  } finally {
    for (const { child } of living) child.kill('SIGKILL')
    await Promise.all([...living].map(({ finished }) => finished))
  }
}

const reported = (letters: readonly { readonly failure: { readonly message: string } }[]): string =>
  letters.map(({ failure }) => failure.message).join('; ')
