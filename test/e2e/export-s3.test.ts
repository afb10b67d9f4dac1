import { CreateBucketCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openS3Client } from '#src/s3/client.ts'
import { contextFor, startChatService } from '../support/chat-service.ts'
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
  readonly context: string | null
  readonly markdownSpan: readonly number[]
}

const CHUNKED_WITH_CONTEXT = 'export --chunks --limit 128 --context --context-model m --context-tokens 30'.split(' ')

const linesOf = async (folder: string): Promise<Line[]> =>
  (await readFile(join(folder, 'chunks.jsonl'), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

describe.skipIf(s3.kind !== 'ready')(name, () => {
  test(
    'is exported in the same chunks as a folder, and keeps the contexts that a model wrote',
    { timeout: 180_000 },
    async () => {
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
        exported.push(await linesOf(join(folder.path, to)))
      }
      const [bucket = [], inFolder = []] = exported.map((lines) => lines.map(essence).toSorted())
      expect(bucket.length).toBeGreaterThan(24)
      expect(bucket).toEqual(inFolder)

      await using service = await startChatService(({ number }) => (number === 3 ? { status: 503 } : {}))
      const asked = [...CHUNKED_WITH_CONTEXT, '--context-url', service.url, '--out', 's3://export/out']
      const withContexts = async (to: string): Promise<readonly Line[]> => {
        const { code, stdout, stderr } = await sluice([...asked, '--to', to], { env, cwd: folder.path })
        expect(code, stderr + stdout).toBe(0)
        return linesOf(join(folder.path, to))
      }
      const first = await withContexts('contexts')
      const contexts = new Set(service.charges.map(({ prompt }) => contextFor(prompt)))
      expect(first.filter(({ context }) => context === null || !contexts.has(context))).toEqual([])
      const { length: charged } = service.charges
      // Equal chunks of a document share one.
      expect([charged, charged]).toEqual([contexts.size, new Set(first.map(({ text }) => text)).size])
      const listed = await openS3Client(s3).send(
        new ListObjectsV2Command({ Bucket: 'export', Prefix: 'out/contexts/' }),
      )
      expect(listed.Contents).toHaveLength(charged)
      expect((await withContexts('again')).map(({ text }) => text).toSorted()).toEqual(
        first.map(({ text }) => text).toSorted(),
      )
      expect(service.charges).toHaveLength(charged)
    },
  )
})

const essence = ({ document, markdownSpan, text }: Line): string => JSON.stringify([document, markdownSpan, text])
