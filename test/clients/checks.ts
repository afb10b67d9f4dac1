import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { GeneratedSite } from '../support/generated-site.ts'
import { runIn } from './install.ts'
import { toolAnswer } from './mcp.ts'

export interface Place {
  /** Where the clients are installed. */
  readonly folder: string
  readonly url: string
  readonly key: string
  readonly site: GeneratedSite
}

export interface Check {
  readonly client: string
  readonly does: string
  /** Null where it works; else what was seen instead. */
  readonly run: (place: Place) => Promise<string | null>
}

const envOf = ({ folder, url, key }: Place): Record<string, string> => ({
  HOME: folder,
  FIRECRAWL_API_URL: url,
  FIRECRAWL_API_KEY: key,
  TEST_API_KEY: key,
  FIRECRAWL_NO_TELEMETRY: '1',
  NODE_OPTIONS: '',
})

/** A module that prints `OK` where what it saw is right. */
function script(client: string, does: string, code: (place: Place) => string): Check {
  return {
    client,
    does,
    async run(place) {
      const args = ['--input-type=module', '-e', code(place)]
      const { output } = await runIn(place.folder, process.execPath, args, envOf(place))
      return output.includes('OK') ? null : output.trim().slice(-500)
    },
  }
}

function cli(does: string, args: (place: Place) => readonly string[], wanted: (place: Place) => RegExp): Check {
  return {
    client: 'firecrawl-cli 1.23.3',
    does,
    async run(place) {
      const program = join(place.folder, 'node_modules/firecrawl-cli/dist/index.js')
      const all = [program, ...args(place)]
      const { output } = await runIn(place.folder, process.execPath, all, envOf(place))
      return wanted(place).test(output) ? null : output.trim().slice(-500)
    },
  }
}

function tool(name: string, args: (place: Place) => object, wanted: RegExp): Check {
  return {
    client: 'firecrawl-mcp 3.26.0',
    does: name,
    async run(place) {
      const program = join(place.folder, 'node_modules/firecrawl-mcp/dist/index.js')
      const text = await toolAnswer(program, envOf(place), name, args(place))
      return wanted.test(text) ? null : text.slice(-500)
    },
  }
}

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

const SDK = `import { Firecrawl } from '@mendable/firecrawl-js'
const client = new Firecrawl({ apiKey: process.env.FIRECRAWL_API_KEY, apiUrl: process.env.FIRECRAWL_API_URL })
`
/**
 * This release of the loader expects `success` in what the SDK gives back, which SDK 4 takes off the answer; with any
 * service it throws after a successful request. The two methods give it back here; the requests are the loader's own.
 */
const LANGCHAIN = `import { FireCrawlLoader } from '@langchain/community/document_loaders/web/firecrawl'
import FirecrawlApp from '@mendable/firecrawl-js'
FirecrawlApp.prototype.scrapeUrl = async function (url, params) { return { success: true, ...(await this.scrape(url, params)) } }
FirecrawlApp.prototype.mapUrl = async function (url, params) { return { success: true, ...(await this.map(url, params)) } }
const loaderFor = (mode, url) => new FireCrawlLoader({ url, mode, apiKey: process.env.FIRECRAWL_API_KEY, apiUrl: process.env.FIRECRAWL_API_URL })
`
const SDK_NAME = '@mendable/firecrawl-js 4.42.0'

/** The SDK's own tests, run where they are not below node_modules, which jest leaves aside. */
const ownTests: Check = {
  client: SDK_NAME,
  does: 'its own end-to-end tests of parse (2 of 2)',
  async run(place) {
    const copy = join(place.folder, 'sdk')
    await cp(join(place.folder, 'node_modules/@mendable/firecrawl-js'), copy, { recursive: true })
    const env = { ...envOf(place), NODE_OPTIONS: '--experimental-vm-modules' }
    const args = [join(place.folder, 'node_modules/jest/bin/jest.js'), 'src/__tests__/e2e/v2/parse.test.ts']
    const { output } = await runIn(copy, process.execPath, args, env)
    return /Tests:\s+2 passed, 2 total/.test(output) ? null : output.trim().slice(-1500)
  },
}

const PDF_NAME = 'two.pdf'

/** Printed beside the checks, so that what is missing has its reason. */
export const NOT_TRIED =
  'LlamaIndex for JavaScript has no loader of this service (llamaindex 0.12.1, @llamaindex/readers 3.1.22); its vendor shows the SDK instead, which is tried'

export const CHECKS: readonly Check[] = [
  ownTests,
  script(
    SDK_NAME,
    'scrape',
    ({ site }) => `${SDK}
const page = await client.scrape('${site.url}/', { formats: ['markdown', 'links'] })
if (page.markdown.includes('number 0') && page.links.length > 1) console.log('OK'); else console.log(page)`,
  ),
  script(
    SDK_NAME,
    'map: every page of the site',
    ({ site }) => `${SDK}
const { links } = await client.map('${site.url}', { limit: 1000 })
const found = new Set(links.map(({ url }) => url))
const missing = ${JSON.stringify(site.reachable)}.filter((url) => !found.has(url))
console.log(missing.length === 0 ? 'OK' : missing)`,
  ),
  script(
    SDK_NAME,
    'getCreditUsage, getQueueStatus, getConcurrency',
    () => `${SDK}
const [credits, queue, concurrency] = await Promise.all([client.getCreditUsage(), client.getQueueStatus(), client.getConcurrency().catch(String)])
console.log(credits.remainingCredits > 0 && queue.maxConcurrency === 2 ? 'OK' : '', JSON.stringify({ credits, queue, concurrency }))`,
  ),
  cli(
    'parse',
    () => ['parse', PDF_NAME, '-f', 'markdown,links', '--json'],
    () => /First sheet[\s\S]*Second sheet/,
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
  tool('firecrawl_parse', ({ folder }) => ({ filePath: join(folder, PDF_NAME), formats: ['markdown'] }), /First sheet/),
  tool('firecrawl_scrape', ({ site }) => ({ url: `${site.url}/`, formats: ['markdown'] }), /number 0/),
  tool('firecrawl_map', ({ site }) => ({ url: site.url }), /index-of-new/),
  script(
    '@langchain/community 1.1.29',
    'FireCrawlLoader, mode scrape',
    ({ site }) => `${LANGCHAIN}
const [document] = await loaderFor('scrape', '${site.url}/').load()
console.log(document.pageContent.includes('number 0') ? 'OK' : document)`,
  ),
  script(
    '@langchain/community 1.1.29',
    'FireCrawlLoader, mode map',
    ({ site }) => `${LANGCHAIN}
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

/** Files that the clients upload. */
export async function writeUploads(folder: string, pdf: Uint8Array): Promise<void> {
  await writeFile(join(folder, PDF_NAME), pdf)
}
