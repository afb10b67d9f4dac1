import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Identifier, parse } from 'luaparse'
import { describe, expect, test } from 'vitest'
import { OF_DOCUMENTS } from '#src/ledger/document-scripts.ts'
import { GateScript } from '../../packages/limiter/src/scripts.ts'

const SRC = resolve(import.meta.dirname, '../../src')

/** What Redis offers to a script beyond Lua's own library, and what of that library the scripts use. */
const OFFERED: ReadonlySet<string> = new Set(
  'KEYS ARGV redis cjson cmsgpack math string table ipairs pairs next tonumber tostring type unpack error pcall'.split(
    ' ',
  ),
)

interface Names {
  /** Read or written, but not declared above: a misspelt name, or a function of a part that comes later or not at all. */
  readonly undeclared: readonly string[]
  /** Declared and never mentioned again. */
  readonly unused: readonly string[]
  /** Declared and mentioned. */
  readonly used: readonly string[]
}

/** @throws {SyntaxError} where the text is not Lua 5.1, which Redis runs */
function namesOf(script: string): Names {
  const mentions = new Map<string, number>()
  const locals = new Set<string>()
  const chunk = parse(script, {
    luaVersion: '5.1',
    scope: true,
    comments: false,
    // A string, whatever its types say.
    onLocalDeclaration: (name: unknown) => locals.add(name as string),
    onCreateNode: (node) => {
      if (node.type === 'Identifier') mentions.set(node.name, (mentions.get(node.name) ?? 0) + 1)
    },
  })
  // Its types do not know the field that the option `scope` adds.
  const { globals = [] } = chunk as typeof chunk & { globals?: readonly Identifier[] }
  const isUnused = (name: string): boolean => name !== '_' && mentions.get(name) === 1
  return {
    undeclared: globals.map(({ name }) => name).filter((name) => !OFFERED.has(name)),
    unused: [...locals].filter(isUnused),
    used: [...locals].filter((name) => !isUnused(name)),
  }
}

/** The scripts that stand in the code as texts, by file and name, with the texts that they begin with put in. */
function scriptsInCode(): readonly (readonly [name: string, text: string])[] {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const sources = files.map((file) => [file, readFileSync(join(SRC, file), 'utf8')] as const)
  const texts = new Map(
    sources.flatMap(([, source]) =>
      [...source.matchAll(/^(?:export )?const ([A-Z_]+) = `([^`]*)`/gm)].map(([, name = '', text = '']) => [
        name,
        text,
      ]),
    ),
  )
  const whole = (text: string): string =>
    text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
      const part = texts.get(name)
      return part === undefined ? '0' : whole(part)
    })
  return sources.flatMap(([file, source]) =>
    [...source.matchAll(/new LuaScript\(\s*'([^']+)',\s*`([^`]*)`/g)].map(
      ([, name = '', text = '']) => [`${file}: ${name}`, whole(text)] as const,
    ),
  )
}

const inCode = scriptsInCode()
const ofGate = (['acquire', 'release', 'snapshot', 'declare'] as const).map(
  (name) => [`gate: ${name}`, new GateScript(name).source] as const,
)

describe('the check of Lua scripts', () => {
  test('reads every script that the code makes', () => {
    const made = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => [...readFileSync(join(SRC, name), 'utf8').matchAll(/new LuaScript\(\s*'/g)])
    expect(made.length).toBeGreaterThan(20)
    expect(inCode).toHaveLength(made.length)
  })

  test('finds a misspelt name, a function used before its definition, an unused local and broken syntax', () => {
    expect(namesOf('local limit = 1\nreturn limti').undeclared).toEqual(['limti'])
    expect(
      namesOf('local function a() return b() end\nlocal function b() return 1 end\nreturn a()').undeclared,
    ).toEqual(['b'])
    expect(namesOf('counted = 1').undeclared).toEqual(['counted'])
    expect(namesOf('local left = 1\nreturn redis.call("GET", KEYS[1])').unused).toEqual(['left'])
    expect(() => namesOf('if then')).toThrow(SyntaxError)
  })
})

const merged = ['ledger: documents', OF_DOCUMENTS.script.text] as const
const scripts = [...inCode, ...ofGate, merged]

test.each(scripts)('the Lua script %s declares every name that it uses', (_, text) => {
  expect(namesOf(text).undeclared).toEqual([])
})

// Several scripts begin with the same functions, of which each needs some.
test('every name that a Lua script declares is used by a script that contains it', () => {
  const found = scripts.map(([, text]) => namesOf(text))
  const used = new Set(found.flatMap(({ used: names }) => names))
  expect([...new Set(found.flatMap(({ unused }) => unused))].filter((name) => !used.has(name))).toEqual([])
})
