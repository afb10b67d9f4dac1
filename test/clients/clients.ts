export interface Client {
  readonly name: string
  readonly version: string
  /** What it, or a check of it, needs beside its own package. */
  readonly beside: Readonly<Record<string, string>>
}

const SDK_VERSION = '4.42.0'

export const SDK: Client = {
  name: '@mendable/firecrawl-js',
  version: SDK_VERSION,
  // The SDK's own tests need these.
  beside: {
    '@jest/globals': '30.2.0',
    jest: '30.2.0',
    'ts-jest': '29.4.5',
    typescript: '5.9.3',
    dotenv: '16.4.5',
    uuid: '14.0.0',
  },
}

export const CLI: Client = { name: 'firecrawl-cli', version: '1.23.3', beside: {} }

export const MCP: Client = { name: 'firecrawl-mcp', version: '3.26.0', beside: {} }

export const LANGCHAIN: Client = {
  name: '@langchain/community',
  version: '1.1.29',
  beside: { '@langchain/core': '1.4.0', '@mendable/firecrawl-js': SDK_VERSION },
}

/** The newest versions at the time of writing, pinned: a client's new release does not change what the checks show. */
export const CLIENTS: readonly Client[] = [SDK, CLI, MCP, LANGCHAIN]

export function titleOf({ name, version }: Client): string {
  return `${name} ${version}`
}
