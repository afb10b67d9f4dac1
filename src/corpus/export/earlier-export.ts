import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SetupError } from '#src/document/setup-error.ts'
import type { SourceKey } from '#src/document/ids.ts'
import { type EarlierIds, IDS_FILE } from './chunk-ids.ts'
import type { ExportManifest } from './export-manifest.ts'

/** Where an export continues: behind a cursor, or behind an earlier export. */
export interface Since {
  readonly cursor: string
  /** Documents that the earlier export could not read. */
  readonly again: readonly SourceKey[]
  /** Which chunks the earlier export and those before it hold; null where that is not known. */
  readonly ids: EarlierIds | null
}

type Same = Pick<ExportManifest, 'tokenizer' | 'limit' | 'overlap' | 'filter' | 'context' | 'figures'>

/**
 * What `--since` names: a cursor, or the folder of an earlier export.
 *
 * @throws {SetupError} where the earlier export has no cursor, or divided documents in another way
 */
export async function readSince(since: string, wanted: Same): Promise<Since> {
  if (/^[0-9a-f]{8}\.\d+$/.test(since)) return { cursor: since, again: [], ids: null }
  const manifest = await readManifest(since)
  const cursor = manifest.cursor ?? null
  if (cursor === null) {
    throw new SetupError(`the export in ${since} has no cursor: export everything once`)
  }
  for (const name of ['tokenizer', 'limit', 'overlap', 'filter', 'context', 'figures'] as const) {
    const [before, now] = [JSON.stringify(manifest[name] ?? null), JSON.stringify(wanted[name] ?? null)]
    if (before !== now) {
      throw new SetupError(
        `the export in ${since} was made with ${name} ${before}, not ${now}: give the same options, or export everything once`,
      )
    }
  }
  const file = manifest.files.find(({ name }) => name === IDS_FILE)
  const ids = file === undefined ? null : { folder: since, file }
  return { cursor, again: manifest.damagedDocuments ?? [], ids }
}

async function readManifest(folder: string): Promise<ExportManifest> {
  try {
    const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as ExportManifest
    if (manifest.kind === 'chunks') return manifest
  } catch (error) {
    throw new SetupError(`--since takes a cursor or the folder of an export: ${folder} has no manifest.json of one`, {
      cause: error,
    })
  }
  throw new SetupError(`--since ${folder} is no export of chunks`)
}
