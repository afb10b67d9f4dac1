import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Events } from '#src/events.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import { readyStore } from '#workers/pipeline/ready-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { takes } from '../support/wait.ts'
import { withMethods } from '../support/with-methods.ts'

test('a store with a hanging first write is reported as slow, and as available once it answers', async () => {
  await using folder = await tempFolder()
  const store = await openFolderStore({ path: join(folder.path, 'out') })
  const probe = async () => (await takes(300), store.maintenance.probe())
  const slow = { ...store, maintenance: withMethods(store.maintenance, { probe }) }
  const events = new Events()
  const reported: string[] = []
  events.on('dependency:failed', ({ dependency, cause }) => reported.push(`${dependency}: ${cause}`))
  events.on('dependency:works', ({ dependency }) => reported.push(`${dependency} works`))
  const options = {
    events,
    storeSlowMs: 100,
    spoolFolder: join(folder.path, 'spool'),
    say: () => undefined,
    takeLease: async () => ({ declare: async () => undefined, [Symbol.asyncDispose]: async () => undefined }),
  }
  await readyStore(slow, options, new AbortController().signal)
  expect(reported[0]).toBe('store: it has not answered for 0.1 s; no request was sent yet')
  expect(reported.at(-1)).toBe('store works')
})
