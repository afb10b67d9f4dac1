import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { TokenCounter } from '#src/corpus/chunks/chunk.ts'
import { chunkDocument } from '#src/corpus/chunks/chunk-document.ts'
import { structureAware } from './structure-aware.ts'

export interface Contestant {
  readonly name: string
  readonly split: (markdown: string, limit: number) => Promise<readonly string[]>
}

const VERSIONS = {
  '@langchain/textsplitters': '1.0.2',
  '@langchain/core': '1.4.0',
  '@llamaindex/core': '0.6.23',
  '@llamaindex/env': '0.1.31',
}

/** All count with the same tokenizer. The libraries are installed beside, the first time: nothing of Sluice needs them. */
export async function contestants(counter: TokenCounter): Promise<readonly Contestant[]> {
  const folder = resolve(import.meta.dirname, '../../node_modules/.cache/bench-corpus')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: VERSIONS }))
  await writeFile(join(folder, 'load.mjs'), 'export const load = (name) => import(name)\n')
  await promisify(execFile)('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], {
    cwd: folder,
  })
  return [
    {
      name: 'Sluice',
      split: async (markdown, limit) =>
        chunkDocument({ markdown, blocks: [], pages: [] }, { counter, limit, overlap: 0 }).chunks.map(
          ({ text }) => text,
        ),
    },
    {
      name: 'structure-aware (ours, after HybridChunker)',
      split: async (markdown, limit) => structureAware(markdown, limit, counter),
    },
    await langChain(folder, counter),
    await llamaIndex(folder),
  ]
}

/** Resolved from the folder that they are installed in. */
async function load<T>(folder: string, name: string): Promise<T> {
  const { load: loadFrom } = (await import(pathToFileURL(join(folder, 'load.mjs')).href)) as {
    load: (name: string) => Promise<T>
  }
  return loadFrom(name)
}

async function langChain(folder: string, counter: TokenCounter): Promise<Contestant> {
  interface Splitter {
    splitText(text: string): Promise<string[]>
  }
  type Options = { chunkSize: number; chunkOverlap: number; lengthFunction: (text: string) => number }
  const { MarkdownTextSplitter } = await load<{ MarkdownTextSplitter: new (options: Options) => Splitter }>(
    folder,
    '@langchain/textsplitters',
  )
  const lengthFunction = (text: string): number => counter.count(text)
  return {
    name: `LangChain MarkdownTextSplitter ${VERSIONS['@langchain/textsplitters']}`,
    split: async (text, chunkSize) =>
      new MarkdownTextSplitter({ chunkSize, chunkOverlap: 0, lengthFunction }).splitText(text),
  }
}

/** Its Markdown parser has no limit of its own: its sentence splitter divides what is over, with the headings as metadata. */
async function llamaIndex(folder: string): Promise<Contestant> {
  interface Node {
    getContent(mode: string): string
  }
  interface NodeParser {
    getNodesFromDocuments(nodes: readonly object[]): Node[] | Promise<Node[]>
  }
  interface Parsers {
    readonly MarkdownNodeParser: new () => NodeParser
    readonly SentenceSplitter: new (options: { chunkSize: number; chunkOverlap: number }) => NodeParser
  }
  interface Schema {
    readonly Document: new (init: { text: string }) => object
    readonly MetadataMode: { readonly EMBED: string }
  }
  const { MarkdownNodeParser, SentenceSplitter } = await load<Parsers>(folder, '@llamaindex/core/node-parser')
  const { Document, MetadataMode } = await load<Schema>(folder, '@llamaindex/core/schema')
  return {
    name: `LlamaIndex MarkdownNodeParser ${VERSIONS['@llamaindex/core']}`,
    split: async (text, chunkSize) => {
      const sections = await new MarkdownNodeParser().getNodesFromDocuments([new Document({ text })])
      const nodes = await new SentenceSplitter({ chunkSize, chunkOverlap: 0 }).getNodesFromDocuments(sections)
      return nodes.map((node) => node.getContent(MetadataMode.EMBED))
    },
  }
}
