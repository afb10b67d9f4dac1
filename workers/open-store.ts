import type { Settings } from '#config/settings.ts'
import { openFolderStore } from '#src/outputs/folder-store.ts'
import type { OutputStore } from '#src/ports.ts'

/** The output store that `--out` names. */
export async function openStore({ out }: Pick<Settings, 'out'>): Promise<OutputStore> {
  return openFolderStore({ path: out })
}
