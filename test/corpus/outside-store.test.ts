import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { refuseInsideStore } from '#src/corpus/export/export-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'

describe('the folder of an export', () => {
  test('is never inside, around or part of the store, also through links', async () => {
    await using folder = await tempFolder()
    const store = join(folder.path, 'corpus')
    await mkdir(join(store, 'documents'), { recursive: true })
    await symlink(join(store, 'documents'), join(folder.path, 'link'))
    const { href } = pathToFileURL(`${store}/`)
    const refused = [
      '',
      'documents',
      'documents/a.pdf',
      '.sluice/new/er',
      'receipts',
      'failures',
      'changes',
      '..',
      '../link/new',
    ]
    for (const to of refused)
      await expect(refuseInsideStore(join(store, to), href)).rejects.toThrow('belongs to the store')
    for (const to of ['chunks', '../chunks', '../documents', '..corpus']) await refuseInsideStore(join(store, to), href)
    await refuseInsideStore(store, 's3://bucket/corpus/')
  })
})
