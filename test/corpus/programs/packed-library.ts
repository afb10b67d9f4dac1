import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ChunkLine } from '#src/corpus/export/chunk-line.ts'
import { sluice } from '../../support/sluice.ts'
import { shared } from '../../support/shared.ts'
import { readLines } from '../../support/json-lines.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { exportAs, makeCorpus } from './support/exports.ts'
import { installPackage, linkLanceDb } from './support/packed.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

const LANGCHAIN = `
import { Document } from '@langchain/core/documents'
import { BaseRetriever } from '@langchain/core/retrievers'
import { SluiceLoader } from 'sluice/langchain'

const documents = await new SluiceLoader('corpus', { limit: 128 }).load()
class First extends BaseRetriever {
  lc_namespace = ['test']
  async _getRelevantDocuments() { return documents }
}
const found = await new First().invoke('anything')
console.log(JSON.stringify(found.map((each) => new Document(each)).map(({ id, pageContent, metadata }) =>
  ({ id, text: pageContent, document: metadata.source, span: metadata.markdownSpan }))))`

const LLAMA_INDEX = `
import { MetadataMode, TextNode } from '@llamaindex/core/schema'
import { textNodes } from 'sluice/llamaindex'

const read = []
for await (const node of textNodes('corpus', TextNode, { limit: 128 }))
  read.push({ id: node.id_, text: node.getContent(MetadataMode.EMBED), document: node.metadata.file_name,
              span: [node.startCharIdx, node.endCharIdx] })
console.log(JSON.stringify(read))`

const { path: at } = await shared(tempFolder())

interface Read {
  readonly id: string
}

describe('the package, installed into an empty folder,', () => {
  let expected: readonly Read[] = []
  const started = async (program: string) =>
    sluice([], { program: join(at, program), cwd: at, env: { SLUICE_STATE_DIR: join(at, 'state') } })
  const inOrder = (rows: readonly Read[]): readonly Read[] => rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))

  beforeAll(async () => {
    await installPackage(at)
    await makeCorpus(at)
    await exportAs(at, 'jsonl')
    const lines = await readLines<ChunkLine>(join(at, 'jsonl/chunks.jsonl'))
    expected = lines.map(({ id, text, document, markdownSpan: span }) => ({ id, text, document, span }))
  }, 600_000)

  test.each([
    ['sluice/langchain', "Documents of LangChain's own class, which a retriever takes", LANGCHAIN],
    ['sluice/llamaindex', "TextNodes of LlamaIndex's own class, whose text is embedded as it is", LLAMA_INDEX],
  ])('returns through %s %s', async (name, _, program) => {
    const file = `${name.replace('/', '-')}.mjs`
    await writeFile(join(at, file), program)
    const { code, stdout, stderr } = await started(file)
    expect(code, stderr).toBe(0)
    expect(inOrder(JSON.parse(stdout) as Read[])).toEqual(inOrder(expected))
  })

  test('answers a question from LanceDB with cited passages, and follows changes, as docs/guide/retrieval.md describes', async (context) => {
    const reason = await linkLanceDb(at)
    if (reason !== null) {
      console.warn(`skipped: ${reason}`)
      context.skip(reason)
    }
    const page = await readFile(join(ROOT, 'docs/guide/retrieval.md'), 'utf8')
    await writeFile(join(at, 'lance.mjs'), /^```js\n(.*?)^```$/ms.exec(page)?.[1] ?? '')
    const first = await started('lance.mjs')
    expect(first.code, first.stderr).toBe(0)
    expect(first.stdout).toContain('indexed 3 documents\n')
    expect(first.stdout).toMatch(
      /^annual-report\.pdf \[2\] \[\{"page":2,"bbox":\[0\.[\d.,]+\]\}\] document\?key=annual-report\.pdf&page=2&span=\d+-\d+&box=0\.\S+ /m,
    )
    await writeFile(join(at, 'papers/notes.md'), '# Notes\n\nWhat did the work at Gannet Lock cost?\n')
    const run = await sluice(['run', 'papers', '--out', 'corpus'], { cwd: at })
    expect(run.code, run.stderr).toBe(0)
    const second = await started('lance.mjs')
    expect(second.stdout, second.stderr).toContain('indexed 1 documents\n')
    expect(second.stdout).toMatch(/^notes\.md \[\] \[\] document\?key=notes\.md&span=0-\d+\S* /m)
  })
})
