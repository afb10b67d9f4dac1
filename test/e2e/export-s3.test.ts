import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openS3Client } from '#src/s3/client.ts'
import { startS3Server } from '../support/s3-server.ts'
import { sluice } from '../support/sluice.ts'
import { tempFolder } from '../support/temp-folder.ts'

const s3 = await startS3Server()
afterAll(async () => {
  if (s3.kind === 'ready') await s3[Symbol.asyncDispose]()
})
const name = s3.kind === 'ready' ? 'a store in a bucket' : `a store in a bucket (not run: ${s3.reason})`

interface Line {
  readonly document: string
  readonly text: string
  readonly markdownSpan: readonly number[]
}

describe.skipIf(s3.kind !== 'ready')(name, () => {
  test('is exported in the same chunks as a folder', { timeout: 180_000 }, async () => {
    if (s3.kind !== 'ready') throw new Error('no S3')
    await using folder = await tempFolder()
    const papers = join(folder.path, 'papers')
    await mkdir(papers)
    for (let number = 0; number < 12; number++) {
      const text = `# Paper ${number}\n\n${`Sentence ${number} of this paper. `.repeat(60)}\n\n## Part\n\nThe end of ${number}.\n`
      await writeFile(join(papers, `${number}.md`), text)
    }
    await openS3Client(s3).send(new CreateBucketCommand({ Bucket: 'export' }))
    const env = {
      SLUICE_S3_ENDPOINT: s3.endpoint,
      AWS_ACCESS_KEY_ID: s3.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
      SLUICE_STATE_DIR: join(folder.path, 'state'),
    }
    const exported: Line[][] = []
    for (const [to, out] of Object.entries({ bucket: 's3://export/out', folder: join(folder.path, 'out') })) {
      const run = await sluice(['run', papers, '--out', out], { env, cwd: folder.path })
      expect(run.code, run.stderr).toBe(0)
      const flags = ['--out', out, '--to', to, '--limit', '128']
      const { code, stderr } = await sluice(['export', '--chunks', ...flags], { env, cwd: folder.path })
      expect(code, stderr).toBe(0)
      const lines = (await readFile(join(folder.path, to, 'chunks.jsonl'), 'utf8')).trimEnd().split('\n')
      exported.push(lines.map((line) => JSON.parse(line) as Line))
    }
    const [bucket = [], inFolder = []] = exported.map((lines) => lines.map(essence).toSorted())
    expect(bucket.length).toBeGreaterThan(24)
    expect(bucket).toEqual(inFolder)
  })
})

const essence = ({ document, markdownSpan, text }: Line): string => JSON.stringify([document, markdownSpan, text])
