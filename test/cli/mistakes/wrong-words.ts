import { flagOf } from '#config/flag-name.ts'
import { SETTING_NAMES } from '#config/load.ts'
import { type SettingName, SETTINGS } from '#config/settings.ts'
import { COMMANDS } from '../../../src/cli/commands.ts'
import type { Random } from '../../support/random.ts'

const COMMAND_NAMES = COMMANDS.map(({ name }) => name)
const FLAGS = SETTING_NAMES.map((name) => `--${flagOf(name)}`)
const OTHER_FLAGS = ['--json', '--pipeline', '--from-urls', '--config', '--no-config', '--code', '--key', '--repair']

const VALUES: readonly ((random: Random) => string)[] = [
  () => '',
  () => ' ',
  () => '-',
  () => '--',
  (random) => String(random.below(1_000_000) - 500_000),
  (random) => `${random.next() * 1e9}`,
  () => '1e400',
  () => 'NaN',
  () => '0x10',
  (random) => `${random.below(100)}${random.pick(['', 'ms', 's', 'm', 'h', 'd', 'w', 'y', ' minutes'])}`,
  (random) =>
    random.pick(['localhost:8080', 'http://', 'http:///x', 'https://[::1', 'ftp://x', 'redis:/x', '//x', '::']),
  (random) =>
    random.pick(['0 25 * * *', '5', '* * *', '60 * * * *', '0 0 31 2 *', '@daily', '*/0 * * * *', '* * * * * * *']),
  (random) =>
    random.pick([
      '{',
      '[]',
      'null',
      '"x"',
      '{"a":',
      '{"__proto__":1}',
      '[{"match":5}]',
      '{"timeout":-1}',
      "{'a':1}",
      '{bad',
    ]),
  (random) =>
    random.pick(['markdown,html', 'markdown,pdf', 'markdown,,', 'pdf', 'ocr', 'auto,fast', 'yes', 'TRUE', 'maybe']),
  (random) =>
    random.pick(['s3://', 's3:/b', 's3://b/p', 's3:b', 'file://h/p', 'file:///%zz', 'urls:', 'gs://b', 'http://x/y']),
  (random) =>
    random.pick([
      '/',
      '/nowhere',
      '/dev/null',
      '/etc/passwd',
      '~',
      '..',
      '/proc/self/mem',
      'a\u0000b',
      '/etc/passwd/x',
    ]),
  (random) => random.bytes(random.below(12)).toString('latin1'),
  () => 'ü漢字🙂\u202e',
  () => 'x'.repeat(5000),
  () => "'; DROP TABLE documents; --",
  () => '\u001b[31mred',
]

export const wrongValue = (random: Random): string => random.pick(VALUES)(random)

/** A command line as a hurried or mistaken person, or a script with a bug, might type it. */
export function wrongCommandLine(random: Random): string[] {
  const words: string[] = []
  if (random.next() < 0.95) words.push(mistyped(random.pick(COMMAND_NAMES), random, 0.1))
  const count = random.below(6)
  for (let index = 0; index < count; index += 1) {
    const kind = random.next()
    if (kind < 0.25) words.push(wrongValue(random))
    else {
      const flag = mistyped(random.pick(kind < 0.85 ? FLAGS : OTHER_FLAGS), random, 0.08)
      if (random.next() < 0.2) words.push(`${flag}=${wrongValue(random)}`)
      else words.push(flag, ...(random.next() < 0.85 ? [wrongValue(random)] : []))
    }
  }
  return words
}

/** Variables that may say anything: each of ours, now and then. */
export function wrongEnvironment(random: Random): Record<string, string> {
  const environment: Record<string, string> = {}
  while (random.next() < 0.5) {
    const name: SettingName = random.pick(SETTING_NAMES)
    const { env, secret } = SETTINGS[name] as { env: string; secret?: unknown }
    environment[secret !== undefined && random.next() < 0.3 ? `${env}_FILE` : env] = wrongValue(random)
  }
  return environment
}

function mistyped(word: string, random: Random, share: number): string {
  if (random.next() >= share) return word
  const at = random.below(word.length)
  return random.pick([
    word.slice(0, at) + word.slice(at + 1),
    word.slice(0, at) + word.charAt(at) + word.slice(at),
    word.toUpperCase(),
    word.replaceAll('-', '_'),
    `${word}x`,
  ])
}
