import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openFolderSource } from '#src/sources/folder/folder-source.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { testSource } from './source.ts'

const FOLDER_KEYS = [
  'plain.pdf',
  'deep/er/and/deeper/still.docx',
  'space in name.pdf',
  'caf\u00e9.pdf',
  'cafe\u0301.pdf',
  'Case.pdf',
  'case.pdf',
  'new\nline.pdf',
  'back\\slash.pdf',
  '100%.pdf',
  '%2E%2E.pdf',
  'dots..pdf',
  'emoji 🎉.pdf',
  `${'x'.repeat(251)}.pdf`,
  'no-extension',
  'folder.pdf/inside.pdf',
]

testSource('the folder source', FOLDER_KEYS, async () => {
  const folder = await tempFolder()
  return {
    source: openFolderSource({ path: folder.path }),
    async write(key, bytes) {
      await mkdir(dirname(join(folder.path, key)), { recursive: true })
      await writeFile(`${folder.path}/${key}`, bytes)
    },
    remove: (key) => rm(`${folder.path}/${key}`),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
})
