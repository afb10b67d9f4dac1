import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseOptionsSchema, type Extension } from '@sluice/contract'
import { convertDocument } from '../../packages/engine/src/children/convert-document.ts'
import type { Conversion } from '../../packages/engine/src/conversion.ts'
import { tempFolder } from './temp-folder.ts'

export interface Asked {
  /** Asks for anchors. */
  readonly extensions?: boolean
  readonly onlyMainContent?: boolean
}

/** Converts a file in this process, with the options as they are by default. */
export async function convertBytes(
  bytes: Buffer | string,
  extension: Extension,
  { extensions = false, ...options }: Asked = {},
): Promise<Conversion> {
  await using folder = await tempFolder()
  const path = join(folder.path, `file.${extension}`)
  await writeFile(path, bytes)
  return await convertDocument({
    path,
    extension,
    options: parseOptionsSchema.parse(options),
    extensions,
    contentType: null,
    baseUrl: null,
    model: null,
    passwords: [],
    fieldsPath: join(folder.path, 'fields'),
    cacheFolder: folder.path,
  })
}
