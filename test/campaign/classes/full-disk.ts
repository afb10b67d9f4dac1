import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EXIT } from '#src/cli/print/exit-codes.ts'
import { SmallDisk } from '../../outages/support/small-disk.ts'
import { appears, expectEnd } from './process-waits.ts'
import type { FaultClass } from './fault-class.ts'
import { onItsOwn } from './on-its-own.ts'

const SIZE = '64m'
const MAX_MS = 4_000
const APPEARS_MS = 60_000
const CHUNK = Buffer.alloc(1 << 16)

/** Store, private Redis and log on one disk that is full for a while: the run waits, and goes on. */
export const fullDisk: FaultClass = {
  target: 'folder',
  async inject(context) {
    const { random, note } = context
    await onItsOwn(context, async (own) => {
      const out = join(own.folder, 'out')
      await mkdir(out)
      const disk = await SmallDisk.mount(out, SIZE)
      if (typeof disk === 'string') return note(disk)
      await using _ = disk
      const running = own.start()
      await appears(running, APPEARS_MS, () => existsSync(join(out, 'store.json')) || null)
      await sleep(random.below(1_000))
      const lastsMs = 500 + random.below(MAX_MS)
      note(`the disk of store, state and log is full for ${lastsMs} ms`)
      const ballast = join(out, 'ballast')
      await fill(ballast)
      await sleep(lastsMs)
      await rm(ballast)
      await expectEnd(context, running, { what: 'a run on a disk that was full', codes: [EXIT.allDone] })
      await own.expectAllDone()
    })
  },
}

async function fill(path: string): Promise<void> {
  try {
    for (;;) await writeFile(path, CHUNK, { flag: 'a' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
