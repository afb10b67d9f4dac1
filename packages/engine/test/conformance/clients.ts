import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { ParsedData } from '@sluice/contract'
import { toolAnswer } from './mcp-tool.ts'
import { runProcess } from './run-process.ts'

export interface Wish {
  readonly url: string
  readonly key: string
  readonly path: string
  readonly options: object
}

/** What a client gave back, whatever its own form: the document, or the text of the error. */
export type Got = { readonly document: ParsedData } | { readonly error: string }

export interface Client {
  readonly name: string
  /** What of the options the client can send at all. */
  readonly sends: 'all' | 'maxPages' | 'formats'
  parse(wish: Wish): Promise<Got>
}

const require = createRequire(import.meta.url)
const packageFile = (name: string, path: string): string => join(dirname(require.resolve(`${name}/package.json`)), path)

export const CLI_PROGRAM = packageFile('firecrawl-cli', 'dist/index.js')
export const MCP_PROGRAM = packageFile('firecrawl-mcp', 'dist/index.js')

const sdk: Client = {
  name: '@mendable/firecrawl-js',
  sends: 'all',
  parse: async ({ url, key, path, options }) => {
    const script = join(import.meta.dirname, 'sdk-parse.ts')
    const { stdout } = await runProcess(process.execPath, [script, url, key, path, JSON.stringify(options)], {})
    return JSON.parse(stdout) as Got
  },
}

const curl = (form: string): Client => ({
  name: `curl ${form}`,
  sends: 'all',
  parse: async ({ url, key, path, options }) => {
    const parts = [
      `file=@${path}`,
      `options=${JSON.stringify(options)}${form === '(json part)' ? ';type=application/json' : ''}`,
    ]
    const ordered = form === '(json part)' ? parts : parts.toReversed()
    const args = [
      '-sS',
      `${url}/v2/parse`,
      '-H',
      `Authorization: Bearer ${key}`,
      ...ordered.flatMap((part) => ['-F', part]),
    ]
    const { stdout, stderr } = await runProcess('curl', args, {})
    if (stdout === '') return { error: stderr }
    const body = JSON.parse(stdout) as { readonly data?: ParsedData; readonly error?: string }
    return body.data === undefined ? { error: body.error ?? '' } : { document: body.data }
  },
})

const cli: Client = {
  name: 'firecrawl-cli',
  sends: 'formats',
  parse: async ({ url, key, path }) => {
    const args = [
      CLI_PROGRAM,
      'parse',
      path,
      '--api-url',
      url,
      '-k',
      key,
      '-f',
      'markdown,links',
      '--timeout',
      '60000',
      '--json',
    ]
    const { stdout, stderr } = await runProcess(process.execPath, args, {
      HOME: dirname(path),
      FIRECRAWL_NO_TELEMETRY: '1',
    })
    return stdout.startsWith('{') ? { document: JSON.parse(stdout) as ParsedData } : { error: stderr }
  },
}

const mcp: Client = {
  name: 'firecrawl-mcp',
  sends: 'maxPages',
  parse: async ({ url, key, path, options }) => {
    const env = { HOME: dirname(path), FIRECRAWL_API_URL: url, FIRECRAWL_API_KEY: key }
    const { parsers } = options as { readonly parsers?: readonly { readonly maxPages?: number }[] }
    const maxPages = parsers?.[0]?.maxPages
    const pdf = maxPages === undefined ? {} : { parsers: ['pdf'], pdfOptions: { maxPages } }
    const args = { filePath: path, formats: ['markdown'], ...pdf }
    const { isError, text } = await toolAnswer(MCP_PROGRAM, env, 'firecrawl_parse', args)
    return isError ? { error: text } : { document: (JSON.parse(text) as { readonly data: ParsedData }).data }
  },
}

export const CLIENTS: readonly Client[] = [sdk, cli, mcp, curl('(plain field)'), curl('(json part)')]
