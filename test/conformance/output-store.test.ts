import { readdir } from 'node:fs/promises'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import { MemoryStore } from '../support/memory-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { testBusyStore } from './busy-store.ts'
import { testFeedStorage } from './feed-storage.ts'
import { testOutputStore } from './output-store.ts'
import { testStoreCrashes } from './store-crash.ts'

const inMemory = async () => ({ store: new MemoryStore(), async [Symbol.asyncDispose]() {} })

testOutputStore('the memory store of the tests', inMemory)
testBusyStore('the memory store of the tests', inMemory)

/** A segment takes a few frames: rotation is part of what is tried. */
const SMALL_JOURNAL = { bytes: 50_000, delayMs: 1 }

const inFolder = async () => {
  const folder = await tempFolder()
  const store = await openFolderStore({ path: `${folder.path}/store` })
  return { store, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
}

testOutputStore('the folder store', inFolder)
testBusyStore('the folder store', inFolder)

testOutputStore('the folder store with a journal', async () => {
  const folder = await tempFolder()
  const store = await openFolderStore({ path: `${folder.path}/store`, journal: SMALL_JOURNAL })
  const close = async (): Promise<void> => {
    await store[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  }
  return { store, [Symbol.asyncDispose]: close }
})

testFeedStorage('the folder store', inFolder)

for (const journal of [undefined, SMALL_JOURNAL]) {
  testStoreCrashes(journal === undefined ? 'the folder store' : 'the folder store with a journal', 8, async () => {
    const folder = await tempFolder()
    const leftIn = async (name: string): Promise<string[]> => readdir(`${folder.path}/.sluice/${name}`).catch(() => [])
    const leftovers = async (): Promise<string[]> =>
      (await Promise.all(['staging', 'aside', 'journal'].map(leftIn))).flat()
    return {
      address: { kind: 'folder', path: folder.path, ...(journal === undefined ? {} : { journal }) },
      leftovers,
      [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    }
  })
}
