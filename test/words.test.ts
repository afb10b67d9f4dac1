import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')

/** Persons where a component acts: a sentence with one of them hides which part of the program does it. */
const PERSONS = ['nobody', 'somebody', 'whoever', 'everybody', 'anybody']
const PERSON = new RegExp(`\\b(?:${PERSONS.join('|')})\\b`, 'i')

const FOLDERS = ['src', 'packages', 'workers', 'config', 'test', 'bench', 'scripts', 'docs']
const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'Dockerfile',
  'docker-compose.yml',
]

/** The list itself, and texts that are documents or vocabulary of documents, not prose of the project. */
const EXEMPT: readonly RegExp[] = [
  /^test\/words\.test\.ts$/,
  /^test\/fixtures\//,
  /^scripts\/samples\/content\//,
  /^packages\/engine\/test\/pdf\/layout\/layout-page\.test\.ts$/,
]

const PROSE = /\.(?:ts|mjs|lua|sh|md|ya?ml|json)$/

function written(): string[] {
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  return [...inFolders.filter((path) => PROSE.test(path)), ...PAGES].filter(
    (path) => !EXEMPT.some((exempt) => exempt.test(path)),
  )
}

function breaches(path: string, text: string): string[] {
  return text.split('\n').flatMap((line, at) => (PERSON.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : []))
}

test('prose names the component that acts, never a person', () => {
  const files = written()
  expect(files.length).toBeGreaterThan(800)
  expect(files.flatMap((path) => breaches(path, readFileSync(join(ROOT, path), 'utf8')))).toEqual([])
})

test('the word check finds each of its words in a sentence', () => {
  for (const word of [...PERSONS, ...PERSONS.map((person) => person.toUpperCase())])
    expect(breaches('x.ts', `first\n/* ${word} waits */`)).toHaveLength(1)
  expect(breaches('x.ts', '/* the worker waits */')).toEqual([])
})

/** Words that once named several things each. Each has the meaning of the glossary, or is not used. */
interface Overloaded {
  readonly word: RegExp
  /** What is left of its meanings; null where another word is always better. */
  readonly meaning: string | null
  /** Phrases of that meaning, of the language and of libraries. */
  readonly allowed: readonly RegExp[]
  /** Files whose whole subject is that meaning, or a stored format that has the name. */
  readonly files?: RegExp
}

/** What a generator writes into documents, and the bench that is named after a look. */
const CONTENT =
  /^bench\/(?:corpus\/(?:generated-report|report-parts)|look\/main)\.ts$|^packages\/engine\/test\/pdf\/ink\/unread-ink/

const OVERLOADED: Readonly<Record<string, Overloaded>> = {
  tell: {
    word: /\b(?:tell|tells|telling|told)\b|\b(?:tell|told)[A-Z]|[a-z]Told\b/,
    meaning: null,
    // A state field and a method of the limiter; the sample text of an estimate, whose words are counted.
    allowed: [/`told`/, /\btellPlaces\b/, /'The keeper was told of /, /\btellsQueued\b/, /count\.told/],
    // A state field of the limiter: the time that the service stated in Retry-After.
    files: /^packages\/limiter\/|^bench\/limiter\//,
  },
  look: {
    word: /\b[Ll]ook(?:s|ed|ing)?\b|\blook(?!up)[A-Z]|[a-z]Look\b/,
    meaning: 'search by a key (look up), or resemble (look like)',
    // A bench, and the line that `npm start` prints.
    files: /^packages\/engine\/src\/pdf\/layout\/heading-levels/,
    allowed: [/\blook(?:s|ed)? up\b/, /\blooks? like\b/, /does not look$/, /'?Look into out\/documents/],
  },
  place: {
    word: /\b[Pp]lace[sd]?\b|\bplaces?[A-Z]|[a-z]Places?\b|\bPLACE(?!HOLDER)/,
    meaning: 'a request in flight that the limiter allows; the folder of a record in the change feed',
    allowed: [
      /\bgate\.places\b/,
      /\bplaces(?:\.count|\.learned|Learned)\b/,
      /sluice_gate_places/,
      /last-places\.json/,
      /\btellPlaces\b/,
      /damage\.place/,
      // A table by the `place` of the feed's stored lines.
      /\bPlaceTable\b|place-table\.ts/,
      // A word of the prompt for a chunk's context; another text would buy each context again.
      /subject, place, period/,
      // A Word document marks up names of places.
      /w:element="place"/,
    ],
    files:
      /^(?:packages\/(?:limiter\/.*|engine\/src\/.*)|bench\/limiter\/.*|bench\/(?:limit\/bench-limit|view\/main)\.ts|src\/corpus\/(?:feed\/.*|export\/(?:export-manifest|select-documents))\.ts|docs\/(?:internals\/(?:limiter|performance)\.md|schemas\/(?:changes-line\.schema|view-api\.openapi)\.json)|test\/(?:view\/api\.test|corpus\/feed\.test|conformance\/feed-storage|support\/(?:memory-store|gate-state))\.ts|src\/view\/(?:document-index|update-index|live)\.ts|src\/view\/assets\/charts\.js|src\/ports\/feed-storage\.ts|src\/outputs\/(?:folder\/folder-feed|s3\/s3-feed)\.ts|workers\/(?:service\/(?:gate-readings|hosted-gate)|view\/view-live)\.ts)$/,
  },
  entry: {
    word: /\b[Ee]ntr(?:y|ies)\b|[a-z]Entry\b|\bentry[A-Z]/,
    meaning: 'a document in the ledger; one thing in a zip file, directory, cache, journal or change feed',
    allowed: [
      /Object\.(?:fromE|e)ntries/,
      /\.entries\(/,
      /\bledger entr/i,
      /\bEntries and counts of the ledger/,
      /\b[Ee]ntry points?\b/,
      /PlannedItem/,
      /entry: RENDER_ENTRY/,
      /RENDER_ENTRY/,
      /\bentry: ENTRY\b/,
      /journal\/entry\.ts/,
      // Names of the formats of OpenDocument, of Office before 2007, and of a bundler's option.
      /\bfile-entry\b|'Root Entry'|\bentryFileNames\b/,
      /known, entry/,
      /\bLedgerEntry\b|ledger-entry\.ts/,
      /\bw:listEntry\b/,
      /\bFeedEntry\b/,
      /throwIfNoEntry|listpack-entries/,
    ],
    files:
      /^packages\/(?:engine|fetch|limiter)\/src\/|^src\/(?:ledger\/|ports\/ledger|document\/ledger-entry|cut\/|ingest\/(?:maintain|scan|document|pages)\/|outputs\/folder\/|sources\/(?:archives|folder)\/|sources\/notifications\/sqs|corpus\/feed\/)|^docs\/reference\/store-format\.md|^test\/(?:ledger\/|ingest\/(?:document\/(?:delivered-again|skip-file)|scan\/(?:scan-race|sweep-gone))|campaign\/(?:checker\/(?:laws|ledger-consistency-checker|redis-outside)|power\/disk-model)|outputs\/(?:store-away|folder\/journal\/))|^packages\/engine\/test\/abuse\/hostile-documents/,
  },
  settle: {
    word: /\bsettl(?:e|es|ing)\b(?!\()/i,
    meaning: 'write the outcome of a document into the ledger',
    // Promises settle in JavaScript's own terms; the script has the name of its port's method.
    allowed: [
      /settlesWithin/,
      /settles-within/,
      /'settle'>/,
      /\bsettle: /,
      /`promise` settles/,
      /'settle entry'/,
      /\bSETTLE\b/,
      /the ledger settles/,
      /'settle'\)/,
    ],
  },
  answer: { word: /\* Answers (?:how|what|whether|which|the)\b/, meaning: 'the response of a service', allowed: [] },
  room: {
    word: /\b[Rr]ooms?\b|[a-z]Room\b/,
    meaning: null,
    allowed: [],
    files: /^packages\/(?:limiter\/src\/lua\/|engine\/src\/pdf\/preview-pages)/,
  },
  standing: { word: /\b[Ss]tanding\b|[a-z]Standing\b/, meaning: null, allowed: [] },
  own: {
    word: /\b(?:const|let) own\b/,
    meaning: 'belonging to',
    allowed: [],
    files: /^src\/(?:ingest\/(?:answers|audit|document|pages)|library)\/|^packages\/engine\/src\//,
  },
  fable: { word: /\b(?:sights?|shelf|shelves|crew|venue|taste|onlooker|workshops?)\b/i, meaning: null, allowed: [] },
}

/** Words that a file is held to. */
const wordsOf = (path: string): readonly (readonly [string, Overloaded])[] =>
  CONTENT.test(path) ? [] : Object.entries(OVERLOADED)

function overloadedIn(path: string, text: string): string[] {
  return wordsOf(path).flatMap(([name, { word, allowed, files }]) =>
    files?.test(path) === true
      ? []
      : text.split('\n').flatMap((line, at) => {
          if (!word.test(line) || line.startsWith(`| ${name} |`)) return []
          const rest = allowed.reduce(
            (left, phrase) => left.replaceAll(new RegExp(phrase, `${phrase.flags}g`), ''),
            line,
          )
          return word.test(rest) ? [`${name}: ${path}:${at + 1}: ${line.trim()}`] : []
        }),
  )
}

test('each overloaded word has the meaning of the glossary, or is not used', () => {
  const files = written().filter((path) => wordsOf(path).length > 0)
  expect(files.length).toBeGreaterThan(1_500)
  expect(files.flatMap((path) => overloadedIn(path, readFileSync(join(ROOT, path), 'utf8')))).toEqual([])
})

test('the check of overloaded words finds each of them, and leaves its meaning in the glossary alone', () => {
  const wrong: Readonly<Record<keyof typeof OVERLOADED, string>> = {
    tell: '/* what the worker was told */',
    look: 'const looked = lookAgain()',
    place: '// in place of the other',
    entry: 'for (const entry of listed)',
    settle: '/* a crash that a run settles */',
    answer: ' * Answers how many are left.',
    room: 'const lowRoom = 0',
    standing: 'const whileStanding = 0',
    own: '  const own = 1',
    fable: '/* the workshop of the crew */',
  }
  for (const [name, line] of Object.entries(wrong))
    for (const path of ['workers/x.ts', 'test/e2e/x.test.ts', 'bench/start/x.ts'])
      expect(overloadedIn(path, line).map((found) => found.split(':', 1)[0])).toEqual([name])
  expect(overloadedIn('workers/x.ts', 'const ledger = Object.entries(ledgers) // one ledger entry, looked up')).toEqual(
    [],
  )
})

test('the glossary of ARCHITECTURE.md defines the meaning that is left of each overloaded word', () => {
  const page = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
  const terms = new Map(
    [...page.matchAll(/^\| ([a-z ]+) \| (.+) \|$/gm)].map(([, term = '', text = '']) => [term, text]),
  )
  for (const term of ['place', 'entry', 'settle', 'answer'])
    expect([term, terms.get(term)]).toEqual([term, OVERLOADED[term]?.meaning])
})
