import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')

/**
 * The import table (ARCHITECTURE.md): a row may import itself and the rows that it names, nothing else. Rows are read
 * downwards; adapters never meet.
 */
const CORE = ['src/document', 'src/contract', 'src/ports', 'src/events.ts']

const BELOW_WORKERS: Readonly<Record<string, readonly string[]>> = {
  'src/document': [],
  'src/contract': ['src/document'],
  'src/fetch': [],
  'src/redis': ['src/document'],
  'src/s3': ['src/document'],
  'src/events.ts': ['src/document'],
  'src/ports': ['src/document', 'src/contract'],
  'src/route': ['src/document', 'src/contract'],
  'src/ingest': [...CORE, 'src/route'],
  'src/sources': CORE,
  'src/sources/folder': [...CORE, 'src/sources'],
  'src/sources/s3': [...CORE, 'src/sources', 'src/s3'],
  'src/sources/urls': [...CORE, 'src/sources', 'src/fetch'],
  'src/sources/sites': [...CORE, 'src/sources', 'src/sources/urls', 'src/fetch'],
  'src/sources/archives': [...CORE, 'src/sources'],
  'src/sources/notifications': [...CORE, 'src/sources'],
  'src/cut': CORE,
  'src/queue': [...CORE, 'src/redis'],
  'src/gate': [],
  'src/model': CORE,
  'src/parse': CORE,
  'src/outputs': CORE,
  'src/outputs/folder': [...CORE, 'src/outputs'],
  'src/outputs/s3': [...CORE, 'src/outputs', 'src/s3'],
  'src/ledger': [...CORE, 'src/redis'],
  'src/observe': CORE,
  'src/corpus/chunks': ['src/document'],
  'src/corpus': ['src/corpus/chunks', 'src/document', 'src/contract', 'src/ports'],
  'src/engine': ['src/document', 'src/fetch', 'src/contract'],
  'src/view': ['src/document', 'src/contract', 'src/ports'],
  config: ['src/document', 'src/contract'],
}

const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  ...BELOW_WORKERS,
  workers: Object.keys(BELOW_WORKERS),
  'src/library': [...Object.keys(BELOW_WORKERS), 'workers'],
  'src/cli': [...Object.keys(BELOW_WORKERS), 'workers'],
}

/** Packages that only the named files may import. */
const OWNED_PACKAGES: readonly (readonly [name: RegExp, owner: RegExp])[] = [
  [/^bullmq$/, /^src\/queue\//],
  [/^ioredis$/, /^src\/(redis|queue|gate|ledger)\//],
  [/^@aws-sdk\//, /(^|\/)(s3|sqs)[^/]*(\/|$)/],
  [/^prom-client$/, /^src\/observe\//],
  [/^pino$/, /^src\/(observe|engine)\//],
  [/^undici$/, /^src\/(parse|model|engine|fetch)\//],
  [/^chokidar$/, /^src\/sources\//],
  [/^(fastify|@fastify\/.*|tinypool|@llamaindex\/liteparse|@firecrawl\/anydoc)$/, /^src\/engine\//],
  [/^@neslinesli93\/qpdf-wasm$/, /^src\/cut\//],
  [/^(gpt-tokenizer|@huggingface\/tokenizers)(\/|$)/, /^src\/corpus\/tokens\//],
  [/^hyparquet(-writer)?$/, /^src\/corpus\/export\//],
  [/^commander$/, /^src\/cli\//],
  [/^(hono|@hono\/.*|node:sqlite|hast-util-sanitize)(\/|$)/, /^src\/view\//],
]

function sourceFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const specifiers = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s[^'"]*?from\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]|(?:^|\n)import\s+['"]([^'"]+)['"]/g,
  )
  return [...specifiers].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
}

/** The file inside the project that a specifier names, or null for a package. */
function target(file: string, specifier: string): string | null {
  if (specifier.startsWith('#')) return specifier.slice(1)
  if (specifier.startsWith('.')) return relative(ROOT, resolve(ROOT, dirname(file), specifier))
  return null
}

/** Whether `path` is `place` itself or lies in it: `src/cli` holds no `src/client`. */
const liesIn = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`)

/** The narrowest row that a file lies in. */
const rowOf = (file: string): string | undefined =>
  Object.keys(MAY_IMPORT)
    .filter((row) => liesIn(file, row))
    .toSorted((a, b) => b.length - a.length)[0]

/** What is wrong with one import, or null. */
function importBreach(file: string, path: string): string | null {
  const row = rowOf(file) ?? ''
  const allowed = [row, ...(MAY_IMPORT[row] ?? [])]
  return allowed.includes(rowOf(path) ?? '') ? null : `${file} → ${path}`
}

/** Reads a clock, waits or draws by itself: the use cases are given a `Clock` and `random`. */
const READS_CLOCK = /performance\.now|Date\.now|new Date\(\)|node:timers|Math\.random/

/** Reads the environment, or imports what could. */
const READS_ENVIRONMENT = /process\.env\b|\benv\b[^'"]*from 'node:process'|process\[['"]env/

const files = ['src', 'config', 'workers'].filter((folder) => existsSync(join(ROOT, folder))).flatMap(sourceFiles)

describe('the architecture', () => {
  test('is seen by this test', () => {
    expect(files.length).toBeGreaterThan(10)
    expect(files.flatMap(importsOf).length).toBeGreaterThan(10)
  })

  test('has a row in the import table for every file', () => {
    expect(files.filter((file) => rowOf(file) === undefined)).toEqual([])
  })

  test('has files in every row', () => {
    const used = new Set(files.map(rowOf))
    expect(Object.keys(MAY_IMPORT).filter((row) => !used.has(row))).toEqual([])
  })

  test('imports downwards only', () => {
    const breaches = files.flatMap((file) =>
      importsOf(file)
        .map((specifier) => target(file, specifier))
        .filter((path) => path !== null)
        .map((path) => importBreach(file, path))
        .filter((breach) => breach !== null),
    )
    expect(breaches).toEqual([])
  })

  test.each(Object.keys(MAY_IMPORT))('refuses an import that %s must not have', (row) => {
    const allowed = [row, ...(MAY_IMPORT[row] ?? [])]
    const inside = (place: string): string => (place.endsWith('.ts') ? place : `${place}/planted.ts`)
    const others = Object.keys(MAY_IMPORT).filter((place) => !allowed.includes(place))
    expect(others.map((place) => importBreach(inside(row), inside(place)))).toEqual(
      others.map((place) => `${inside(row)} → ${inside(place)}`),
    )
    expect(allowed.map((place) => importBreach(inside(row), inside(place)))).toEqual(allowed.map(() => null))
  })

  test('keeps each package with its owner', () => {
    const breaches = files.flatMap((file) =>
      importsOf(file).flatMap((specifier) =>
        OWNED_PACKAGES.filter(([name, owner]) => name.test(specifier) && !owner.test(file)).map(
          () => `${file} imports ${specifier}`,
        ),
      ),
    )
    expect(breaches).toEqual([])
  })

  test('reads clocks and random numbers outside of the use cases only', () => {
    const planted = ['performance.now()', 'Date.now()', 'new Date()', "import 'node:timers/promises'", 'Math.random()']
    expect(planted.filter((line) => !READS_CLOCK.test(line))).toEqual([])
    const code = (file: string): string =>
      readFileSync(join(ROOT, file), 'utf8').replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, '')
    const readers = files.filter((file) => liesIn(file, 'src/ingest') && READS_CLOCK.test(code(file)))
    expect(readers).toEqual([])
  })

  test('reads the environment in config/environment.ts only', () => {
    const planted = ["import { env } from 'node:process'", 'process.env.HOME', "process['env']"]
    expect(planted.filter((line) => !READS_ENVIRONMENT.test(line))).toEqual([])
    const readers = files.filter((file) => READS_ENVIRONMENT.test(readFileSync(join(ROOT, file), 'utf8')))
    expect(readers.filter((file) => file !== 'config/environment.ts')).toEqual([])
  })
})
