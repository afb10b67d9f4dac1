import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')

/**
 * The import table (ARCHITECTURE.md): a row may import itself and the rows that it names, nothing else. Rows are read
 * downwards; adapters never meet.
 */
const CORE = ['packages/contract', 'src/document', 'src/client', 'src/ports', 'src/events.ts']

const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'packages/contract': [],
  'packages/fetch': [],
  'packages/limiter': [],
  'packages/engine': ['packages/contract', 'packages/fetch'],
}

const BELOW_WORKERS: Readonly<Record<string, readonly string[]>> = {
  ...PACKAGES,
  'src/kit': [],
  'src/document': ['packages/contract'],
  'src/client': ['packages/contract', 'src/document'],
  'src/redis': ['packages/contract', 'src/document'],
  'src/s3': ['packages/contract', 'src/document'],
  'src/events.ts': ['packages/contract', 'src/document'],
  'src/ports': ['packages/contract', 'src/document', 'src/client'],
  'src/route': ['packages/contract', 'src/document', 'src/client'],
  'src/ingest/answers': ['packages/contract', 'src/client'],
  'src/ingest/document': [...CORE, 'src/ingest/answers'],
  'src/ingest/pages': [
    'src/document',
    'src/client',
    'src/ports',
    'src/route',
    'src/ingest/answers',
    'src/ingest/document',
  ],
  'src/ingest/scan': [...CORE, 'src/ingest/document'],
  'src/ingest/maintain': ['src/document', 'src/ports', 'src/route', 'src/ingest/document'],
  'src/ingest/audit': [
    'packages/contract',
    'src/document',
    'src/client',
    'src/ports',
    'src/route',
    'src/ingest/document',
    'src/ingest/pages',
  ],
  'src/ingest': [...CORE, 'src/ingest/document', 'src/ingest/pages'],
  'src/sources': CORE,
  'src/sources/folder': [...CORE, 'src/sources'],
  'src/sources/s3': [...CORE, 'src/sources', 'src/s3'],
  'src/sources/urls': [...CORE, 'src/sources', 'packages/fetch'],
  'src/sources/sites': [...CORE, 'src/sources', 'src/sources/urls', 'packages/fetch'],
  'src/sources/archives': [...CORE, 'src/sources', 'packages/engine'],
  'src/sources/notifications': [...CORE, 'src/sources'],
  'src/cut': CORE,
  'src/queue': [...CORE, 'src/redis'],
  'src/notify': CORE,
  'src/parse': CORE,
  'src/outputs': CORE,
  'src/outputs/folder': [...CORE, 'src/outputs'],
  'src/outputs/s3': [...CORE, 'src/outputs', 'src/s3'],
  'src/ledger': [...CORE, 'src/redis'],
  'src/observe': CORE,
  'src/corpus/chunks': ['packages/contract', 'src/document'],
  'src/corpus/tokens': ['src/corpus/chunks', 'src/document'],
  'src/corpus/feed': ['src/document', 'src/ports'],
  'src/corpus/figures': ['src/corpus/chunks', 'src/document'],
  'src/corpus/hygiene': ['src/corpus/feed'],
  'src/corpus/export': [
    'packages/contract',
    'src/corpus/chunks',
    'src/corpus/feed',
    'src/corpus/figures',
    'src/corpus/hygiene',
    'src/document',
    'src/ports',
  ],
  'src/corpus/search': [
    'src/corpus/chunks',
    'src/corpus/export',
    'src/corpus/feed',
    'src/corpus/tokens',
    'src/document',
    'src/ports',
  ],
  'src/view': [
    'packages/contract',
    'packages/engine',
    'src/corpus/chunks',
    'src/corpus/search',
    'src/document',
    'src/client',
    'src/ports',
  ],
  config: ['packages/contract', 'src/kit', 'src/document', 'src/client'],
}

/** Every folder of the application may import utilities. */
const withKit = (rows: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.entries(rows).map(([row, allowed]) => [
      row,
      row.startsWith('src/') && row !== 'src/kit' ? ['src/kit', ...allowed] : allowed,
    ]),
  )

const BELOW = Object.keys(BELOW_WORKERS)

/** Arrows fall: a row may import those above it, but for `workers/doctor`, which opens no pipeline. */
const WORKERS: Readonly<Record<string, readonly string[]>> = {
  'workers/settings': BELOW,
  'workers/process': [...BELOW, 'workers/settings'],
  'workers/engine': [...BELOW, 'workers/settings', 'workers/process'],
  'workers/service': [...BELOW, 'workers/settings', 'workers/engine'],
  'workers/doctor': [...BELOW, 'workers/settings', 'workers/service'],
  'workers/open': [...BELOW, 'workers/settings', 'workers/service'],
  'workers/pipeline': [...BELOW, 'workers/settings', 'workers/process', 'workers/service', 'workers/open'],
  workers: [...BELOW, 'workers/settings', 'workers/process', 'workers/service', 'workers/open', 'workers/pipeline'],
  'workers/view': [...BELOW, 'workers/settings', 'workers/service', 'workers/open', 'workers/pipeline', 'workers'],
}

const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  ...withKit(BELOW_WORKERS),
  ...WORKERS,
  'src/library': [...BELOW, ...Object.keys(WORKERS)],
  'src/cli/print': ['src/kit', 'src/document', 'src/events.ts', 'src/observe', 'workers/pipeline', 'config'],
  'src/cli/session': [...BELOW, ...Object.keys(WORKERS), 'src/cli/print'],
  'src/cli/commands': [...BELOW, ...Object.keys(WORKERS), 'src/cli/session', 'src/cli/print'],
  'src/cli': ['src/cli/commands', 'src/cli/session', 'src/cli/print', 'config'],
}

/** Packages of others that only the named files may import. */
const OWNED_PACKAGES: readonly (readonly [name: RegExp, owner: RegExp])[] = [
  [/^bullmq$/, /^src\/queue\//],
  [/^ioredis$/, /^(src\/(redis|queue|ledger)|packages\/limiter)\//],
  [/^@aws-sdk\//, /(^|\/)(s3|sqs)[^/]*(\/|$)/],
  [/^prom-client$/, /^src\/observe\//],
  [/^@opentelemetry\//, /^src\/observe\/trace\//],
  [/^pino$/, /^(src\/observe|packages\/engine)\//],
  [/^undici$/, /^(src\/parse|src\/notify|packages\/(engine|fetch))\//],
  [/^chokidar$/, /^src\/sources\//],
  [/^(fastify|@fastify\/.*|tinypool|@llamaindex\/liteparse|@firecrawl\/anydoc)$/, /^packages\/engine\//],
  [/^@neslinesli93\/qpdf-wasm$/, /^src\/cut\//],
  [/^(gpt-tokenizer|@huggingface\/tokenizers)(\/|$)/, /^src\/corpus\/tokens\//],
  [/^hyparquet(-writer)?$/, /^src\/corpus\/export\//],
  [/^commander$/, /^src\/cli\//],
  [/^(hono|@hono\/.*|hast-util-sanitize)(\/|$)/, /^src\/view\//],
  [/^node:sqlite$/, /^src\/(view|corpus\/search)\//],
]

function sourceFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
}

/** Also those in types, which a moved folder would miss as well. */
function staticImportsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const specifiers = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s[^'"]*?from\s+['"]([^'"]+)['"]|(?:^|\n)import\s+['"]([^'"]+)['"]/g,
  )
  return [...specifiers].map((match) => match[1] ?? match[2] ?? '')
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const loaded = [...text.matchAll(/import\(\s*['"]([^'"]+)['"]/g)].map((match) => match[1] ?? '')
  return [...staticImportsOf(file), ...loaded]
}

/** A door of a package of this project: `@sluice/engine/pages`. */
const DOOR = /^@sluice\/([a-z]+)(?:\/([a-z]+))?$/

/** The file inside the project that a specifier names, or null for a package of others. */
function target(file: string, specifier: string): string | null {
  const [, name, door = 'index'] = DOOR.exec(specifier) ?? []
  if (name !== undefined) return `packages/${name}/${door}.ts`
  if (specifier.startsWith('#')) return specifier.slice(1)
  if (specifier.startsWith('.')) return relative(ROOT, resolve(ROOT, dirname(file), specifier))
  return null
}

/** Whether `path` is `parent` itself or lies in it: `src/cli` holds no `src/client`. */
const liesIn = (path: string, parent: string): boolean => path === parent || path.startsWith(`${parent}/`)

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

const packageOf = (file: string): string | null => /^packages\/[^/]+/.exec(file)?.[0] ?? null

/** What is wrong with an import across the border of a package, or null: only its doors may be named. */
function packageBreach(file: string, specifier: string): string | null {
  const path = target(file, specifier)
  const isInside = path === null || packageOf(path) === packageOf(file)
  return isInside || DOOR.test(specifier) || packageOf(path) === null ? null : `${file} → ${specifier}`
}

/** Pairs of folders beside each other, or of a folder and the one that holds it, with imports in both directions. */
function bothWays(imports: readonly (readonly [from: string, to: string])[]): readonly string[] {
  const arrows = new Set<string>()
  for (const [from, to] of imports) {
    const [own, others] = [dirname(from).split('/'), dirname(to).split('/')]
    const shared = own.findIndex((name, at) => name !== others[at])
    const depth = shared === -1 ? own.length : shared
    const [one, other] = [own, others].map((path) => path.slice(0, depth + 1).join('/'))
    if (one !== other) arrows.add(`${one} <> ${other}`)
  }
  return [...arrows].filter((arrow) => {
    const [one = '', other = ''] = arrow.split(' <> ')
    return one < other && arrows.has(`${other} <> ${one}`)
  })
}

/** The files of one circle of imports, or none. Imports that are loaded only when needed (`import()`) close no circle. */
function circleIn(imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>()
  const path: string[] = []
  const visit = (file: string): readonly string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return []
    path.push(file)
    for (const next of imports.get(file) ?? []) {
      const circle = visit(next)
      if (circle.length > 0) return circle
    }
    path.pop()
    done.add(file)
    return []
  }
  for (const file of imports.keys()) {
    const circle = visit(file)
    if (circle.length > 0) return circle
  }
  return []
}

/** Reads a clock, waits or draws by itself: the use cases are given a `Clock` and `random`. */
const READS_CLOCK = /performance\.now|Date\.now|new Date\(\)|node:timers|Math\.random/

/** Reads the environment, or imports what could. */
const READS_ENVIRONMENT = /process\.env\b|\benv\b[^'"]*from 'node:process'|process\[['"]env/

const files = ['src', 'config', 'workers', ...Object.keys(PACKAGES)]
  .flatMap(sourceFiles)
  .filter((file) => !/^packages\/[^/]+\/test\//.test(file))

describe('the architecture', () => {
  test('is read from existing files and imports', () => {
    expect(files.length).toBeGreaterThan(10)
    expect(files.flatMap(importsOf).length).toBeGreaterThan(10)
  })

  test('covers every file with a row of the import table', () => {
    expect(files.filter((file) => rowOf(file) === undefined)).toEqual([])
  })

  test('has files in every row of the import table', () => {
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

  test.each(Object.keys(MAY_IMPORT))('rejects a forbidden import of %s', (row) => {
    const allowed = [row, ...(MAY_IMPORT[row] ?? [])]
    const inside = (path: string): string => (path.endsWith('.ts') ? path : `${path}/planted.ts`)
    const others = Object.keys(MAY_IMPORT).filter((other) => !allowed.includes(other))
    expect(others.map((other) => importBreach(inside(row), inside(other)))).toEqual(
      others.map((other) => `${inside(row)} → ${inside(other)}`),
    )
    expect(allowed.map((path) => importBreach(inside(row), inside(path)))).toEqual(allowed.map(() => null))
  })

  test('has no import cycle', () => {
    const planted = new Map([
      ['a', ['b', 'c']],
      ['b', ['c']],
      ['c', ['a']],
    ])
    expect(circleIn(planted)).toEqual(['a', 'b', 'c', 'a'])
    const imports = new Map(
      files.map((file) => [
        file,
        staticImportsOf(file)
          .map((specifier) => target(file, specifier))
          .filter((path) => path !== null),
      ]),
    )
    expect(circleIn(imports)).toEqual([])
  })

  test('has no pair of folders that import each other', () => {
    const planted = [
      ['src/a/x.ts', 'src/b/y.ts'],
      ['src/b/z.ts', 'src/a/deep/x.ts'],
    ] as const
    expect(bothWays(planted)).toEqual(['src/a <> src/b'])
    const imports = files.flatMap((file) =>
      importsOf(file).flatMap((specifier) => {
        const path = target(file, specifier)
        return path === null ? [] : [[file, path] as const]
      }),
    )
    // The command line and the library are above `workers`, and `config` beside it; the rows above hold these.
    expect(bothWays(imports).filter((pair) => pair.includes('/'))).toEqual([])
  })

  test('enters each package by its doors only', () => {
    const planted: readonly (readonly [string, string])[] = [
      ['workers/planted.ts', '../packages/engine/src/pdf/read-pages.ts'],
      ['packages/engine/src/planted.ts', '../../limiter/src/waiting-line.ts'],
    ]
    expect(planted.filter(([file, specifier]) => packageBreach(file, specifier) === null)).toEqual([])
    const breaches = files.flatMap((file) => importsOf(file).map((specifier) => packageBreach(file, specifier)))
    expect(breaches.filter((breach) => breach !== null)).toEqual([])
  })

  test('imports each npm package in the part that owns it only', () => {
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
