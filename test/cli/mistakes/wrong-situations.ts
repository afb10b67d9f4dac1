import { join } from 'node:path'
import type { Random } from '../../support/random.ts'
import { wrongCommandLine, wrongEnvironment, wrongValue } from './wrong-words.ts'

/** What a generated mistake may point at. */
export interface Environment {
  /** Holds `papers/` (one document), `file.pdf`, `not.yaml` (text that is no settings file), `urls.txt`. */
  readonly folder: string
  /** Stores of `papers/` with a folder where a file belongs, or a file where a folder does. */
  readonly oddStores: readonly string[]
  /** A port that a web server listens on: neither Redis nor S3 nor a parse service. */
  readonly webPort: number
  /** A port that answers with bytes which are no HTTP. */
  readonly noisePort: number
  /** A port on which nothing listens. */
  readonly closedPort: number
}

export interface Attempt {
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

type Mistake = (random: Random, at: Environment) => Attempt

/** Commands that go on until they are stopped, where nothing is wrong. */
const STANDING: readonly string[] = ['watch', 'work', 'engine']

const AWS = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret', AWS_MAX_ATTEMPTS: '1' }

/** An output folder of its own for each attempt. */
const out = (random: Random, { folder }: Environment): string => join(folder, `out-${random.below(1e9)}`)

const onPapers = (random: Random, at: Environment, ...words: readonly string[]): readonly string[] => [
  random.pick(['run', 'plan']),
  join(at.folder, 'papers'),
  '--out',
  out(random, at),
  ...words,
]

/** A word of a kind that could stand for a folder, and leads nowhere. */
const wrongPath = (random: Random, { folder }: Environment): string =>
  random.pick([
    join(folder, 'nowhere'),
    join(folder, 'file.pdf/inside'),
    '/etc/passwd/x',
    '/proc/nothing',
    '/dev/null',
    '/dev/full',
    join(folder, 'x'.repeat(300)),
    join(folder, 'loop'),
    'http://example.com/papers',
    's3:papers',
    'file://host/papers',
  ])

const wrongRedis = (random: Random, at: Environment): string =>
  random.pick([
    `redis://127.0.0.1:${at.closedPort}`,
    `redis://user:hunter2@127.0.0.1:${at.closedPort}/3`,
    `redis://127.0.0.1:${at.webPort}`,
    `redis://127.0.0.1:${at.noisePort}`,
    'redis://no-such-host.invalid:6379',
    `http://127.0.0.1:${at.webPort}`,
    join(at.folder, 'no.sock'),
    `localhost:${at.closedPort}`,
  ])

const wrongEndpoint = (random: Random, at: Environment): string =>
  random.pick([
    `http://127.0.0.1:${at.closedPort}`,
    `http://127.0.0.1:${at.webPort}`,
    `https://127.0.0.1:${at.webPort}`,
    `http://127.0.0.1:${at.noisePort}`,
    'http://no-such-host.invalid',
    '127.0.0.1:9000',
  ])

/** Commands about a store that is there, each with a word that it may take. */
const onStore = (random: Random, { folder }: Environment): readonly string[] =>
  random.pick([
    ['export', '--chunks', '--to', join(folder, `chunks-${random.below(1e9)}`)],
    ['export', '--chunks', '--format', 'parquet', '--to', join(folder, `chunks-${random.below(1e9)}`)],
    ['verify'],
    ['verify', '--repair'],
    ['gc'],
    ['render'],
    ['failures'],
    ['status', join(folder, 'papers')],
    ['retry', join(folder, 'papers')],
    ['pause', join(folder, 'papers')],
    ['plan', join(folder, 'papers')],
    ['run', join(folder, 'papers')],
    ['doctor'],
  ])

const MISTAKES: Readonly<Record<string, Mistake>> = {
  'a store in which something has another kind than its name says': (random, at) => ({
    words: [...onStore(random, at), '--out', random.pick(at.oddStores)],
    env: {},
  }),
  'a command on something that is no store': (random, at) => ({
    words: [
      ...onStore(random, at),
      '--out',
      random.pick([wrongPath(random, at), join(at.folder, 'papers'), join(at.folder, 'file.pdf')]),
    ],
    env: {},
  }),
  'an export to where it cannot be': (random, at) => {
    const store = random.pick(at.oddStores)
    const inStore = ['', 'documents', 'documents/new', '.sluice/x', 'store.json'].map((name) => join(store, name))
    const to = random.pick([wrongPath(random, at), ...inStore, join(at.folder, 'papers'), join(at.folder, 'file.pdf')])
    return { words: ['export', '--chunks', '--to', to, '--out', store], env: {} }
  },
  'one file or list of settings as a path': (random, at) => ({
    words: [
      random.pick(['run', 'plan', 'status', 'pause', 'watch']),
      join(at.folder, random.pick(['wrong.yaml', 'loop'])),
    ],
    env: { SLUICE_OUT: wrongPath(random, at) },
  }),
  'an address that is half written': (random, at) => ({
    words: [
      random.pick(['run', 'plan', 'status']),
      random.pick([
        's3://',
        's3:///in',
        's3://b c/in',
        's3://UPPER/in',
        's3://a/../b',
        'https://',
        'https://x y/',
        'www.example.com',
      ]),
      '--out',
      random.pick([out(random, at), 's3://', 's3:///x', 's3://a b/']),
    ],
    env: { ...AWS, AWS_ENDPOINT_URL: `http://127.0.0.1:${at.closedPort}` },
  }),
  'words of any kind': (random, { folder }) => {
    const words = wrongCommandLine(random).filter((word) => !STANDING.includes(word))
    const inside = (text: string): string => text.replace(/(^|=)(?:\/|\.\.).*/s, `$1${join(folder, 'nowhere')}`)
    const env = Object.entries(wrongEnvironment(random)).map(([name, value]) => [name, inside(value)])
    return { words: words.map(inside), env: Object.fromEntries(env) as Record<string, string> }
  },
  'a wrong source': (random, at) => ({
    words: [random.pick(['run', 'plan', 'watch', 'work', 'retry']), wrongPath(random, at), '--out', out(random, at)],
    env: {},
  }),
  'a wrong output folder': (random, at) => ({
    words: [random.pick(['run', 'plan', 'watch']), join(at.folder, 'papers'), '--out', wrongPath(random, at)],
    env: {},
  }),
  'the source as the output folder': (random, at) => ({
    words: [random.pick(['run', 'plan', 'watch']), join(at.folder, 'papers'), '--out', join(at.folder, 'papers/.')],
    env: {},
  }),
  'a wrong Redis': (random, at) => ({
    words: [random.pick(['run', 'status', 'pause', 'work']), join(at.folder, 'papers'), '--out', out(random, at)],
    env: { REDIS_URL: wrongRedis(random, at) },
  }),
  'a bucket that cannot be used': (random, at) => ({
    words: [
      'run',
      ...random.pick([
        ['s3://papers/in', '--out', out(random, at)],
        [join(at.folder, 'papers'), '--out', 's3://papers/out'],
      ]),
      ...random.pick([[], ['--s3-endpoint', wrongEndpoint(random, at)], ['--s3-region', 'nowhere-1']]),
    ],
    env:
      random.next() < 0.7
        ? { ...AWS, AWS_ENDPOINT_URL: `http://127.0.0.1:${at.closedPort}` }
        : { AWS_EC2_METADATA_DISABLED: 'true' },
  }),
  'a port that cannot be listened on': (random, at) => {
    const port = random.pick([String(at.webPort), String(at.noisePort), '70000', '-1', 'http'])
    return random.pick([
      { words: ['run', join(at.folder, 'papers'), '--out', out(random, at), '--metrics-port', port], env: {} },
      { words: ['engine', '--port', port], env: {} },
      {
        words: ['engine', '--host', random.pick(['203.0.113.9', 'no-such-host.invalid', '']), '--port', port],
        env: {},
      },
      { words: ['engine', '--socket', join(at.folder, random.pick(['no/where.sock', 'x'.repeat(200)]))], env: {} },
    ])
  },
  'a wrong schedule': (random, at) => ({
    words: [
      'watch',
      join(at.folder, 'papers'),
      '--out',
      out(random, at),
      '--every',
      random.pick([
        '0 25 * * *',
        '5',
        '',
        '10',
        'tomorrow',
        '61 * * * *',
        '0 0 * *',
        '1w',
        '0s',
        '* * * * MOON',
        '0 0 32 * *',
      ]),
    ],
    env: {},
  }),
  'a wrong settings file': (random, at) => {
    const file = join(
      at.folder,
      random.pick(['not.yaml', 'nowhere.yaml', 'papers', 'file.pdf', 'wrong.yaml', 'urls.txt']),
    )
    const command = random.pick(['run', 'config', 'plan', 'watch', 'verify', 'status'])
    return random.next() < 0.5
      ? { words: [command, '--config', file], env: {} }
      : { words: [command], env: { SLUICE_CONFIG: file } }
  },
  'a wrong list of URLs': (random, at) => ({
    words: [
      'run',
      '--from-urls',
      join(at.folder, random.pick(['nowhere.txt', 'papers', 'file.pdf', 'loop'])),
      '--out',
      out(random, at),
    ],
    env: {},
  }),
  'wrong settings in the environment': (random, at) => ({
    words: onPapers(random, at),
    env: { SLUICE_MODE: 'fastest', SLUICE_FORMATS: wrongValue(random), SLUICE_DEADLINE_MS: wrongValue(random) },
  }),
  'a wrong path for the state': (random, at) => ({
    words: onPapers(random, at, random.pick(['--state-dir', '--cache-dir', '--log-file']), wrongPath(random, at)),
    env: {},
  }),
}

const MISTAKE_NAMES = Object.keys(MISTAKES)

export function wrongSituation(random: Random, at: Environment): Attempt & { readonly name: string } {
  const name = random.pick(MISTAKE_NAMES)
  const make = MISTAKES[name] as Mistake
  return { name, ...make(random, at) }
}
