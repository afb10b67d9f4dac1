import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultContext } from './fault-class.ts'

/** Moves a folder away while something goes on, and then back, removing whatever was made at its path. */
export async function movedAside(path: string, during: (aside: string) => Promise<unknown>): Promise<void> {
  const aside = `${path}-aside`
  await rename(path, aside)
  try {
    await during(aside)
  } finally {
    await rm(path, { recursive: true, force: true, maxRetries: 5 })
    await rename(aside, path)
  }
}

/** The store goes away under living processes: they keep what they bought, and make no store at its path. */
export async function storeAway(
  { environment: { out }, breaches }: FaultContext,
  lastsMs: number,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  let ends: Promise<unknown> = Promise.resolve()
  await movedAside(out, async () => {
    ends = meanwhile()
    await sleep(lastsMs)
    if (existsSync(out)) breaches.unexplained.push('a store that was away was made anew in silence')
  })
  await ends
}
