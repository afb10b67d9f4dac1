import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ChunkLine } from '#src/corpus/export/chunk-line.ts'
import { shared } from '../../support/shared.ts'
import { readLines } from '../../support/json-lines.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { exportAs, makeCorpus } from './support/exports.ts'
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

const FOLDER = resolve(import.meta.dirname, '../../../node_modules/.cache/python-readers')

/** Python that can import a module; a reason where there is none. */
type FoundPython = { readonly python: string } | { readonly reason: string }

/**
 * `PYTHON=…` names an interpreter that has the packages. Else they are installed with pip into an environment of the tests'
 * own, once.
 */
async function pythonWith(module: string, distribution: string): Promise<FoundPython> {
  const given = process.env['PYTHON']
  try {
    const python = given ?? (await ownPython())
    if (await canImport(python, module)) return { python }
    if (given !== undefined) return { reason: `${given} has no module ${module}` }
    const pip = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '--retries', '0', distribution]
    await run(python, pip, { timeout: 600_000 })
    return (await canImport(python, module)) ? { python } : { reason: `${module} cannot be imported` }
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string }
    const said = stderr.split('\n').findLast((line) => line.startsWith('ERROR'))
    return { reason: `${distribution} cannot be installed: ${said ?? String(error)}` }
  }
}

async function ownPython(): Promise<string> {
  const python = `${FOLDER}/bin/python`
  if (await canImport(python, 'pip')) return python
  await mkdir(FOLDER, { recursive: true })
  await run('python3', ['-m', 'venv', FOLDER])
  return python
}

const canImport = async (python: string, module: string): Promise<boolean> =>
  run(python, ['-c', `import ${module}`]).then(
    () => true,
    () => false,
  )

/** Runs a program, whose last line of output is JSON. Nothing is loaded from the network. */
async function answerOf<T>(python: string, program: string, cwd: string): Promise<T> {
  const env = { ...process.env, HF_HUB_OFFLINE: '1', HF_HOME: `${cwd}/hugging-face`, LANGSMITH_TRACING: 'false' }
  const { stdout } = await run(python, ['-c', program], { cwd, env, maxBuffer: 1 << 28 })
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as T
}

/** What a reader gives of each chunk. */
interface Read {
  readonly id: string
  readonly text: string
  readonly document: string
  readonly span: readonly number[]
  readonly pages: readonly number[]
}

const LANGCHAIN = `
import json
from langchain_core.documents import Document
read = [Document(**json.loads(line)) for line in open('langchain/chunks.jsonl', encoding='utf-8')]
print(json.dumps([{'id': d.id, 'text': d.page_content, 'document': d.metadata['source'],
                   'span': d.metadata['markdownSpan'], 'pages': d.metadata['pages']} for d in read]))`

const LLAMA_INDEX = `
import json
from llama_index.core.schema import TextNode
read = [TextNode.from_dict(json.loads(line)) for line in open('llamaindex/chunks.jsonl', encoding='utf-8')]
print(json.dumps([{'id': n.node_id, 'text': n.text, 'document': n.ref_doc_id,
                   'span': [n.start_char_idx, n.end_char_idx], 'pages': n.metadata['pages']} for n in read]))`

const DATASETS = `
import json
from datasets import load_dataset
def rows(kind, path):
    return load_dataset(kind, data_files=path, split='train')
lines, columns = rows('json', 'jsonl/chunks.jsonl'), rows('parquet', 'parquet/chunks.parquet')
assert lines.num_rows == columns.num_rows, (lines.num_rows, columns.num_rows)
print(json.dumps([{'id': r['id'], 'text': r['text'], 'document': r['document'], 'span': r['markdownSpan'],
                   'pages': r['pages']} for r in columns]))`

const READERS = [
  { name: 'Document(**line) of LangChain', module: 'langchain_core', from: 'langchain-core', program: LANGCHAIN },
  {
    name: 'TextNode.from_dict(line) of LlamaIndex',
    module: 'llama_index.core',
    from: 'llama-index-core',
    program: LLAMA_INDEX,
  },
  { name: 'load_dataset of Hugging Face', module: 'datasets', from: 'datasets', program: DATASETS },
] as const

const { path: at } = await shared(tempFolder())

const found = new Map<string, FoundPython>()
for (const { module, from } of READERS) found.set(module, await pythonWith(module, from))

describe('the chunks of an export are read unchanged in Python by', () => {
  beforeAll(async () => {
    await makeCorpus(at)
    for (const format of ['jsonl', 'parquet', 'langchain', 'llamaindex'] as const) await exportAs(at, format)
  }, 300_000)

  for (const { name, module, program } of READERS) {
    const python = found.get(module)
    if (python === undefined || 'reason' in python) {
      console.warn(`skipped: ${name}: ${python?.reason}`)
      test.skip(`${name} (${python?.reason})`)
      continue
    }
    test(name, async () => {
      const lines = await readLines<ChunkLine>(join(at, 'jsonl/chunks.jsonl'))
      const expected = lines.map(({ id, text, document, markdownSpan, pages }) => ({
        id,
        text,
        document,
        span: markdownSpan,
        pages,
      }))
      const inOrder = (rows: readonly Read[]): readonly Read[] => rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
      const read = await answerOf<readonly Read[]>(python.python, program, at)
      expect(inOrder(read)).toEqual(inOrder(expected))
    })
  }
})
