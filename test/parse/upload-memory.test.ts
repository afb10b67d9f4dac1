import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startProcess } from '../support/child.ts'
import { startScriptedService } from '../support/scripted-service.ts'
import { tempFolder } from '../support/temp-folder.ts'

const MIB = 1024 * 1024

test('four concurrent uploads of 49 MiB are streamed, and the process grows by at most 60 MiB', async () => {
  await using folder = await tempFolder()
  await using service = await startScriptedService()
  const content = Buffer.alloc(49 * MIB, 'sluice')
  await writeFile(join(folder.path, 'large.pdf'), content)
  await writeFile(join(folder.path, 'small.pdf'), 'small')

  const uploads = startProcess('upload-large.ts', [service.url, folder.path, '4'])
  const reported = (await uploads.line('grew ')).slice('grew '.length)
  const { verdicts, bytes } = JSON.parse(reported) as { verdicts: string[]; bytes: number }
  console.log(`resident memory grew by ${(bytes / MIB).toFixed(1)} MiB`)
  expect(verdicts).toEqual(['parsed', 'parsed', 'parsed', 'parsed'])
  expect(bytes).toBeLessThanOrEqual(60 * MIB)
  const sha256 = createHash('sha256').update(content).digest('hex')
  expect(service.charges.get(sha256)).toBe(4)
})
