import { Command } from 'commander'
import { expect, test } from 'vitest'
import { flagOf } from '#config/flag-name.ts'
import { SETTINGS, type SettingName } from '#config/settings.ts'
import { createProgram } from '#src/cli/program.ts'

const NAMES = Object.keys(SETTINGS) as SettingName[]

async function helpOf(command: string, ...more: string[]): Promise<readonly string[]> {
  let text = ''
  const program = await createProgram([command, ...more])
  for (const each of [program, ...program.commands]) each.configureOutput({ writeOut: (part) => (text += part) })
  await program.parseAsync([command, '--help', ...more], { from: 'user' }).catch(() => undefined)
  return text.trimEnd().split('\n')
}

test('the description of a setting is at most 80 characters, with its unit and its negation', () => {
  const described = NAMES.map((name) => {
    const { doc, unit, schema } = SETTINGS[name] as (typeof SETTINGS)['rate']
    const negation = (schema.safeParse(undefined).data as unknown) === true ? 'do not ' : ''
    return `${negation}${doc}${unit === undefined ? '' : `, in ${unit}`}`
  })
  expect(described.filter((text) => text.length > 80)).toEqual([])
})

test('the help of run starts with its tasks and has at most 60 lines', async () => {
  const lines = await helpOf('run')
  expect(lines[0]).toBe('Tasks:')
  expect(lines.length).toBeLessThanOrEqual(60)
  expect(lines.join('\n')).not.toContain('--takeover')
  expect((await helpOf('run', '--all')).join('\n')).toMatch(/--takeover <duration>[^[]+\[SLUICE_TAKEOVER_MS\]/)
})

test('no line of any help is wider than 80 columns', async () => {
  const { commands } = await createProgram([])
  const wide: string[] = []
  for (const name of commands.map((command) => command.name())) {
    const lines = [...(await helpOf(name)), ...(await helpOf(name, '--all'))]
    wide.push(...lines.filter((line) => line.length > 80).map((line) => `${name}: ${line}`))
  }
  expect(wide).toEqual([])
})

test('values of a repeated list flag add up, and its help names it repeatable', async () => {
  const { addSettings, givenFlags } = await import('#src/cli/session/flags.ts')
  const lists = NAMES.filter((name) => Array.isArray(SETTINGS[name].fromText('a,b')))
  expect(lists).toContain('neverSend')
  const command = addSettings(new Command(), lists)
  const words = lists.flatMap((name) => [`--${flagOf(name)}`, 'a,b', `--${flagOf(name)}`, 'c'])
  command.parse(words, { from: 'user' })
  expect(givenFlags(command)).toEqual(Object.fromEntries(lists.map((name) => [name, 'a,b,c'])))
  for (const name of lists) expect(command.helpInformation()).toMatch(new RegExp(`--${flagOf(name)} <[^-]+?repeatable`))
})
