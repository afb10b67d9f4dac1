import { PutObjectCommand } from '@aws-sdk/client-s3'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { buildPdf, text as drawnText } from '../support/build-pdf.ts'
import { startS3Server } from '../support/s3-server.ts'
import { sluice } from '../support/sluice.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { shared } from '../support/shared.ts'
import { readLines } from '../support/json-lines.ts'

const s3 = await shared(startS3Server())
const name = s3.kind === 'ready' ? 'a store in a bucket' : `a store in a bucket (not run: ${s3.reason})`

interface Line {
  readonly document: string
  readonly text: string
  readonly markdownSpan: readonly number[]
}

const linesOf = (folder: string) => readLines<Line>(join(folder, 'chunks.jsonl'))

describe.skipIf(s3.kind !== 'ready')(name, () => {
  test('is exported in the same chunks as a folder', { timeout: 240_000 }, async () => {
    if (s3.kind !== 'ready') throw new Error('no S3')
    await using folder = await tempFolder()
    const papers = join(folder.path, 'papers')
    await mkdir(papers)
    for (let number = 0; number < 12; number++) {
      const text = `# Paper ${number}\n\n${`Sentence ${number} of this paper. `.repeat(60)}\n\n## Part\n\nThe end of ${number}.\n`
      await writeFile(join(papers, `${number}.md`), text)
    }
    await s3.newBucket('export')
    const env = {
      ...s3.env,
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
  })
})

describe.skipIf(s3.kind !== 'ready')(name, () => {
  test('is searched, and a changed document is found by its new text', { timeout: 240_000 }, async () => {
    if (s3.kind !== 'ready') throw new Error('no S3')
    await using folder = await tempFolder()
    const papers = join(folder.path, 'papers')
    await mkdir(papers)
    await s3.newBucket('search')
    const env = {
      ...s3.env,
      SLUICE_STATE_DIR: join(folder.path, 'state'),
      SLUICE_CACHE_DIR: join(folder.path, 'cache'),
    }
    const found = async (text: string, question: string): Promise<string> => {
      await writeFile(join(papers, 'a.md'), text)
      const { code, stderr } = await sluice(['run', papers, '--out', 's3://search/out'], { env, cwd: folder.path })
      expect(code, stderr).toBe(0)
      return (await sluice(['search', question, '--out', 's3://search/out'], { env, cwd: folder.path })).stdout
    }
    expect(await found('# Weir\n\nThe weir in flood.\n', 'flood')).toContain('1. a.md\n')
    expect(await found('# Weir\n\nThe weir in drought.\n', 'flood')).toBe('0 hits in 1 document\n')
    expect(await found('# Weir\n\nThe weir in drought.\n', 'drought')).toContain('1. a.md\n')
  })
})

describe.skipIf(s3.kind !== 'ready')(name.replace('store', 'source'), () => {
  test('yields the images of figures while it still holds the parsed bytes', { timeout: 240_000 }, async () => {
    if (s3.kind !== 'ready') throw new Error('no S3')
    await using folder = await tempFolder()
    const { client } = s3
    const put = async (caption: string): Promise<unknown> => {
      const content = drawnText(72, 80, 'The weir in flood, as a keeper saw it.') + drawnText(72, 420, caption)
      const picture = { width: 40, height: 20, grey: new Uint8Array(800).fill(90) }
      const Body = buildPdf([{ content, picture, pictureBox: [72, 392, 372, 592] }])
      return client.send(new PutObjectCommand({ Bucket: 'papers', Key: 'reports/weir.pdf', Body }))
    }
    await s3.newBucket('papers')
    await put('Figure 1: The weir')
    const env = {
      ...s3.env,
      SLUICE_STATE_DIR: join(folder.path, 'state'),
    }
    const options = { env, cwd: folder.path }
    const run = await sluice(['run', 's3://papers/reports', '--out', 'corpus', '--mode', 'fast'], options)
    expect(run.stderr).not.toContain('failed')
    const asked = ['export', '--chunks', '--out', 'corpus', '--figures']
    const drawn = await sluice([...asked, '--to', 'drawn'], options)
    expect(drawn.stdout + drawn.stderr).toContain('\n1 image of figures\n')
    expect(await readdir(join(folder.path, 'drawn/figures'))).toHaveLength(1)
    await put('Figure 1: The mill')
    const changed = await sluice([...asked, '--to', 'changed'], options)
    expect(changed.stdout).toContain('0 images of figures\nno image: 1 figure whose original has changed since')
  })
})

const essence = ({ document, markdownSpan, text }: Line): string => JSON.stringify([document, markdownSpan, text])
