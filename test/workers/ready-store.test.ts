import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Events } from '#src/events.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import { readyStore } from '#workers/ready-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { takes } from '../support/wait.ts'

test('a store whose first write hangs at the start is reported after the time that counts as slow, and as available when it answers', async () => {
  await using folder = await tempFolder()
  const store = await openFolderStore({ path: join(folder.path, 'out') })
  const slow = Object.create(store, {
    probe: { value: async () => (await takes(300), store.probe()) },
    recover: { value: () => store.recover() },
    url: { value: store.url },
  }) as typeof store
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
  expect(reported[0]).toBe('store: it does not answer for longer than 0.1 s; nothing was bought')
  expect(reported.at(-1)).toBe('store works')
})
