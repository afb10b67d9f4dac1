import type { Command } from 'commander'
import { beforeAll, describe, expect, test } from 'vitest'
import { readConfiguration } from '#config/read-config.ts'
import { givenFlags } from '../../../src/cli/session/flags.ts'
import { createProgram } from '../../../src/cli/program.ts'
import { explanationOf } from '../../../src/cli/print/errors.ts'
import { Random } from '../../support/random.ts'
import { wrongCommandLine, wrongEnvironment } from './wrong-words.ts'
import { seedFrom } from '../../support/seed.ts'

const SEED = seedFrom('MISTAKES_SEED', 0x51)
const LINES = Number(process.env['LINES'] ?? 20_000)

interface Parsed {
  readonly text: string
  /** Null where it was accepted, or refused with a sentence. */
  readonly bug: string | null
  readonly verdict: 'accepted' | 'refused by the parser' | 'refused settings'
}

let program: Command
let written = ''
let parsed: Command | null = null

beforeAll(async () => {
  program = await createProgram('all')
  for (const command of [program, ...program.commands]) {
    command.configureOutput({ writeOut: (text) => (written += text), writeErr: (text) => (written += text) })
    if (command !== program) command.action(() => void (parsed = command))
  }
})

const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : 'no error')

/** As the program does it: the command line, then the settings from it and the environment. Nothing is opened. */
async function parse(words: readonly string[], env: Readonly<Record<string, string>>): Promise<Parsed> {
  written = ''
  parsed = null
  try {
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    const byCommander = error instanceof Error && 'code' in error && String(error.code).startsWith('commander.')
    return { text: written, bug: byCommander ? null : stackOf(error), verdict: 'refused by the parser' }
  }
  if (parsed === null) return { text: written, bug: null, verdict: 'accepted' }
  try {
    const read = await readConfiguration({ flags: givenFlags(parsed), config: false, env })
    if (read.ok) return { text: written, bug: null, verdict: 'accepted' }
    return { text: read.problems.join('\n'), bug: null, verdict: 'refused settings' }
  } catch (error) {
    return {
      text: explanationOf(error) ?? '',
      bug: explanationOf(error) === null ? stackOf(error) : null,
      verdict: 'refused settings',
    }
  }
}

describe(`${LINES} generated command lines and environments (MISTAKES_SEED=${SEED}, LINES)`, () => {
  test('are accepted or refused with a sentence, never with an exception or a stack trace', async () => {
    const random = new Random(SEED)
    const verdicts = { accepted: 0, 'refused by the parser': 0, 'refused settings': 0 }
    for (let line = 0; line < LINES; line += 1) {
      const words = wrongCommandLine(random)
      const env = wrongEnvironment(random)
      const { text, bug, verdict } = await parse(words, env)
      const reported = JSON.stringify({ line, words, env })
      if (bug !== null) expect.fail(`${reported} ended in ${bug}`)
      if (/^\s*at /m.test(text) || text.includes('TypeError')) expect.fail(`${reported} printed\n${text}`)
      if (verdict !== 'accepted' && text.trim() === '') expect.fail(`${reported} was refused without a word`)
      verdicts[verdict] += 1
    }
    // The generator reaches all three, or it tests less than it says.
    for (const count of Object.values(verdicts)) expect(count).toBeGreaterThan(LINES / 50)
  }, 240_000)
})
