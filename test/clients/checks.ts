import { cp } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { CLI_PROGRAM, MCP_PROGRAM } from '../../packages/engine/test/conformance/clients.ts'
import { toolAnswer } from '../../packages/engine/test/conformance/mcp-tool.ts'
import { runProcess } from '../../packages/engine/test/conformance/run-process.ts'
import type { GeneratedSite } from '../support/generated-site.ts'
import { PACKAGES } from './install.ts'

export interface Setup {
  /** Where the packages of `install.ts` are. */
  readonly installed: string
  /** An empty home for the clients. */
  readonly home: string
  readonly url: string
  readonly key: string
  readonly site: GeneratedSite
}

export interface Check {
  readonly client: string
  readonly does: string
  /** Null where it works; else what was seen instead. */
  readonly run: (setup: Setup) => Promise<string | null>
}

/** Longest for one thing that a client does. */
const LIMIT_MS = 180_000

const require = createRequire(import.meta.url)
const named = (name: string): string => `${name} ${(require(`${name}/package.json`) as { version: string }).version}`
const SDK = named('@mendable/firecrawl-js')
const LANGCHAIN = `@langchain/community ${PACKAGES['@langchain/community']}`

const envOf = ({ home, url, key }: Setup): Record<string, string> => ({
  HOME: home,
  FIRECRAWL_API_URL: url,
  FIRECRAWL_API_KEY: key,
  TEST_API_KEY: key,
  FIRECRAWL_NO_TELEMETRY: '1',
  NODE_OPTIONS: '',
})

interface NodeRun {
  readonly cwd: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly wanted: RegExp
}

/** Null where what Node printed for `args` matches `wanted`; else the end of what it printed. */
async function printedByNode(setup: Setup, { cwd, args, wanted, env = {} }: NodeRun): Promise<string | null> {
  const all = { ...envOf(setup), ...env }
  const { stdout, stderr, failure } = await runProcess(process.execPath, args, all, { cwd, limitMs: LIMIT_MS })
  const output = `${stdout}${stderr}`
  return wanted.test(output) ? null : `${failure ?? ''}\n${output.trim().slice(-1500)}`
}

/** A module that prints `OK` where what it saw is right. */
const script = (client: string, does: string, code: (setup: Setup) => string): Check => ({
  client,
  does,
  run: (setup) =>
    printedByNode(setup, { cwd: setup.installed, args: ['--input-type=module', '-e', code(setup)], wanted: /OK/ }),
})

const cli = (does: string, args: (setup: Setup) => readonly string[], wanted: (setup: Setup) => RegExp): Check => ({
  client: named('firecrawl-cli'),
  does,
  run: (setup) => printedByNode(setup, { cwd: setup.home, args: [CLI_PROGRAM, ...args(setup)], wanted: wanted(setup) }),
})

const tool = (name: string, args: (setup: Setup) => object, wanted: RegExp): Check => ({
  client: named('firecrawl-mcp'),
  does: name,
  run: async (setup) => {
    const { text } = await toolAnswer(MCP_PROGRAM, envOf(setup), name, args(setup))
    return wanted.test(text) ? null : text.slice(-500)
  },
})

/** What the Python SDK was recorded to send for its option objects. */
function pythonWire(does: string, options: object): Check {
  return {
    client: 'firecrawl-py 4.54 (recorded)',
    does,
    async run({ url, key }) {
      const body = new FormData()
      body.append('options', JSON.stringify({ ...options, origin: 'python-sdk@4.54.0' }))
      body.append('file', new Blob(['<h1>Uploaded page</h1><p>Text.</p>'], { type: 'text/html' }), 'page.html')
      const headers = { authorization: `Bearer ${key}` }
      const response = await fetch(`${url}/v2/parse`, { method: 'POST', body, headers })
      const text = await response.text()
      return response.status === 200 ? null : `${response.status}: ${text.slice(0, 500)}`
    },
  }
}

const WITH_SDK = `import { Firecrawl } from '@mendable/firecrawl-js'
const client = new Firecrawl({ apiKey: process.env.FIRECRAWL_API_KEY, apiUrl: process.env.FIRECRAWL_API_URL })
`
/**
 * This release of the loader expects `success` in what the SDK gives back, which SDK 4 takes off the answer; with any
 * service it throws after a successful request. The two methods give it back here; the requests are the loader's own.
 */
const WITH_LOADER = `import { FireCrawlLoader } from '@langchain/community/document_loaders/web/firecrawl'
import FirecrawlApp from '@mendable/firecrawl-js'
FirecrawlApp.prototype.scrapeUrl = async function (url, params) { return { success: true, ...(await this.scrape(url, params)) } }
FirecrawlApp.prototype.mapUrl = async function (url, params) { return { success: true, ...(await this.map(url, params)) } }
const loaderFor = (mode, url) => new FireCrawlLoader({ url, mode, apiKey: process.env.FIRECRAWL_API_KEY, apiUrl: process.env.FIRECRAWL_API_URL })
`

/** The SDK's own tests, run where they are not below node_modules, which jest leaves aside. */
const ownTests: Check = {
  client: SDK,
  does: 'its own end-to-end tests of parse (2 of 2)',
  async run(setup) {
    const { installed } = setup
    const cwd = join(installed, 'sdk')
    await cp(join(installed, 'node_modules/@mendable/firecrawl-js'), cwd, { recursive: true })
    const env = { NODE_OPTIONS: '--experimental-vm-modules' }
    const args = [join(installed, 'node_modules/jest/bin/jest.js'), 'src/__tests__/e2e/v2/parse.test.ts']
    return printedByNode(setup, { cwd, args, env, wanted: /Tests:\s+2 passed, 2 total/ })
  },
}

/** Printed beside the checks, so that what is missing has its reason. */
export const NOT_TRIED =
  'LlamaIndex for JavaScript has no loader of this service (llamaindex 0.12.1, @llamaindex/readers 3.1.22); its vendor shows the SDK instead, which is tried'

export const CHECKS: readonly Check[] = [
  ownTests,
  script(
    SDK,
    'scrape',
    ({ site }) => `${WITH_SDK}
const page = await client.scrape('${site.url}/', { formats: ['markdown', 'links'] })
if (page.markdown.includes('number 0') && page.links.length > 1) console.log('OK'); else console.log(page)`,
  ),
  script(
    SDK,
    'map: every page of the site',
    ({ site }) => `${WITH_SDK}
const { links } = await client.map('${site.url}', { limit: 1000 })
const found = new Set(links.map(({ url }) => url))
const missing = ${JSON.stringify(site.reachable)}.filter((url) => !found.has(url))
console.log(missing.length === 0 ? 'OK' : missing)`,
  ),
  script(
    SDK,
    'getCreditUsage, getQueueStatus, getConcurrency',
    () => `${WITH_SDK}
const [credits, queue, concurrency] = await Promise.all([client.getCreditUsage(), client.getQueueStatus(), client.getConcurrency().catch(String)])
console.log(credits.remainingCredits > 0 && queue.maxConcurrency === 2 ? 'OK' : '', JSON.stringify({ credits, queue, concurrency }))`,
  ),
  cli(
    'scrape',
    ({ site }) => ['scrape', `${site.url}/`],
    () => /number 0/,
  ),
  cli(
    'map',
    ({ site }) => ['map', site.url, '--limit', '1000'],
    ({ site }) => new RegExp(`${site.url}/index-of-new`),
  ),
  cli(
    'credit-usage',
    () => ['credit-usage'],
    () => /\d/,
  ),
  cli(
    '--status',
    () => ['--status'],
    () => /concurren/i,
  ),
  tool('firecrawl_scrape', ({ site }) => ({ url: `${site.url}/`, formats: ['markdown'] }), /number 0/),
  tool('firecrawl_map', ({ site }) => ({ url: site.url }), /index-of-new/),
  script(
    LANGCHAIN,
    'FireCrawlLoader, mode scrape',
    ({ site }) => `${WITH_LOADER}
const [document] = await loaderFor('scrape', '${site.url}/').load()
console.log(document.pageContent.includes('number 0') ? 'OK' : document)`,
  ),
  script(
    LANGCHAIN,
    'FireCrawlLoader, mode map',
    ({ site }) => `${WITH_LOADER}
const documents = await loaderFor('map', '${site.url}').load()
const found = JSON.stringify(documents)
console.log(${JSON.stringify(site.reachable)}.every((url) => found.includes(url)) ? 'OK' : found.slice(0, 500))`,
  ),
  pythonWire('JsonFormat with nulls', {
    formats: ['markdown', { type: 'json', prompt: 'x', schema: null, check_prompt_injection: null }],
  }),
  pythonWire('redactPII with nulls', { redactPII: { mode: 'fast', entities: null, replaceStyle: null } }),
  pythonWire('fast_mode and other options of scrape', {
    fastMode: true,
    mobile: false,
    skipTlsVerification: true,
    removeBase64Images: true,
    blockAds: true,
  }),
]
