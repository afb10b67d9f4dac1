import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { batchedStream, type BatchedStream } from '#src/kit/batched-stream.ts'
import type { Failure } from '#src/document/failure.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { OpenedDocument, Source } from '#src/ports/source.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import { type Filter, keyRules, nameRules } from '../path-rules.ts'
import { walk } from './folder-walk.ts'
import { openFile } from './opened-file.ts'
import { errorCode } from '../unusable.ts'

export interface FolderSourceOptions extends Filter {
  readonly path: string
  /** True treats symbolic links like their targets; false excludes them from the source. */
  readonly followSymlinks?: boolean
  /** Folders that are never listed, even behind a link: the store, if it is inside the source. */
  readonly skipFolders?: readonly string[]
}

/** A folder and its complete tree. Sockets, pipes and devices are not documents; the source never opens them. */
export function openFolderSource(options: FolderSourceOptions): Source {
  const root = resolve(options.path)
  const followSymlinks = options.followSymlinks ?? false
  return {
    url: pathToFileURL(`${root}/`).href,
    list: (signal: AbortSignal): BatchedStream<SourceItem> =>
      batchedStream(async function* () {
        const closed = await identities(options.skipFolders ?? [])
        yield* walk(root, { names: nameRules(options), followSymlinks, closed }, signal)
      }),
    skips: keyRules(options),
    async open(key: SourceKey): Promise<OpenedDocument | Failure> {
      if (!isInside(key)) {
        return { code: 'vanished', stage: 'read', message: `${JSON.stringify(key)} names no file of this source.` }
      }
      return openFile(`${root}/${key}`, key, followSymlinks)
    },
  }
}

/** True if a key stays inside the folder. Keys return from Redis and from records, so the source checks them. */
function isInside(key: string): boolean {
  return !key.includes('\0') && key.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}

/** Device and inode of folders, which identify them under every name. */
export async function identities(folders: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const folder of folders) {
    try {
      const { dev, ino } = await stat(folder, { bigint: true })
      found.add(`${dev}:${ino}`)
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
    }
  }
  return found
}
