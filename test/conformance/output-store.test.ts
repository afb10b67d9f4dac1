import { readdir } from 'node:fs/promises'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import { MemoryStore } from '../support/memory-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { testFeedStorage } from './feed-storage.ts'
import { testOutputStore } from './output-store.ts'
import { testStoreCrashes } from './store-crash.ts'

testOutputStore('the memory store of the tests', async () => ({
  store: new MemoryStore(),
  async [Symbol.asyncDispose]() {},
}))

testOutputStore('the folder store', async () => {
  const folder = await tempFolder()
  const store = await openFolderStore({ path: `${folder.path}/store` })
  return { store, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
})

testFeedStorage('the folder store', async () => {
  const folder = await tempFolder()
  const store = await openFolderStore({ path: `${folder.path}/store` })
  return { store, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
})

testStoreCrashes('the folder store', 12, async () => {
  const folder = await tempFolder()
  const leftovers = async (): Promise<string[]> => [
    ...(await readdir(`${folder.path}/.sluice/staging`)),
    ...(await readdir(`${folder.path}/.sluice/aside`)),
  ]
  return {
    address: { kind: 'folder', path: folder.path },
    leftovers,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
})
