import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { openStore } from '#workers/open/open-store.ts'
import type { StoreSource } from '#src/document/store-manifest.ts'
import { FAILURE_CODES } from '#src/document/failure.ts'
import type { DeadLetter } from '#src/document/record.ts'
import { EXIT } from '../print/exit-codes.ts'
import { outputOf, type Output } from '../print/output.ts'
import { count, oneLine, plural, shownName } from '../print/format.ts'
import { commandLine } from '#config/invocation.ts'
import { addTargetFlags, forEachTarget, lastStoresOf, type Target } from '../session/targets.ts'
import { STORE_SETTINGS } from '../session/run-settings.ts'
import { UsageError } from '../print/errors.ts'

interface FailuresOptions {
  readonly code?: string | undefined
}

export function failuresCommand(): Command {
  const command = new Command('failures').option(
    '--code <code>',
    `only failures with this code: ${FAILURE_CODES.join(', ')}`,
  )
  addTargetFlags(command, STORE_SETTINGS)
  return command.action(async () => {
    const { code } = command.opts<FailuresOptions>()
    const output = outputOf(command)
    checkCode(code)
    let shown = 0
    const show = async (target: Target): Promise<void> => void (shown += await list(target, code, output))
    await forEachTarget(await lastStoresOf(command), output, show)
    process.exitCode = shown > 0 ? EXIT.someFailed : EXIT.allDone
  })
}

/** Refuses a `--code` that no failure has. */
export function checkCode(code: string | undefined): void {
  if (code === undefined || FAILURE_CODES.some((known) => known === code)) return
  throw new UsageError(`--code: no failure has the code "${code}"; the codes are ${FAILURE_CODES.join(', ')}`)
}

/** Returns the number of listed failures. */
async function list({ name, settings }: Target, code: string | undefined, output: Output): Promise<number> {
  await using resources = new AsyncDisposableStack()
  const store = await openStore(settings, resources, { mustExist: true })
  let shown = 0
  const hosts = new Map<string, number>()
  for await (const letter of store.deadLetters.list(new AbortController().signal)) {
    const { key, failure, attempts } = letter
    if (code !== undefined && failure.code !== code) continue
    shown += 1
    const host = hostOf(letter)
    if (host !== null) hosts.set(host, (hosts.get(host) ?? 0) + 1)
    const tries = attempts > 1 ? ` (${attempts} attempts)` : ''
    output.result(`${shownName(key)}: ${failure.code}, ${oneLine(failure.message)}${tries}`, () =>
      name === null ? letter : { pipeline: name, ...letter },
    )
  }
  if (!output.json) {
    const sources = (await store.manifest.read())?.sources ?? []
    const hint = shown > 0 ? retryHint(name, sources, settings.out) : []
    output.result([plural(shown, 'failure') + byHost(hosts), ...hint].join('\n'), () => ({}))
  }
  return shown
}

/** Null for a document that is not of the web. */
function hostOf({ source, key }: Pick<DeadLetter, 'source' | 'key'>): string | null {
  if (!/^(?:https?|urls):/.test(source)) return null
  return /^(?:http:)?(?:[^/]*@)?([^/?!]+)/.exec(key)?.[1] ?? null
}

/** `: 10 at a.org, 2 at b.org`, the most frequent first; empty for a single host. */
export function byHost(hosts: ReadonlyMap<string, number>): string {
  if (hosts.size < 2) return ''
  const [first, rest] = [[...hosts].toSorted(([, a], [, b]) => b - a).slice(0, MAX_HOSTS), hosts.size - MAX_HOSTS]
  const texts = first.map(([host, number]) => `${count(number)} at ${shownName(host)}`)
  return `: ${[...texts, ...(rest > 0 ? [`others at ${plural(rest, 'more host')}`] : [])].join(', ')}`
}

const MAX_HOSTS = 10

/** Commands for a retry: of the pipeline, or of each source of the store. */
function retryHint(name: string | null, sources: readonly StoreSource[], out: string): string[] {
  const commands =
    name === null
      ? sources.map(({ address, prefix }) =>
          commandLine('retry', pathOf(address), '--out', out, ...(prefix === '' ? [] : ['--prefix', prefix])),
        )
      : [commandLine('retry', '--pipeline', name)]
  return ['when the cause is removed, parse them again with:', ...commands.map((command) => `  ${command}`)]
}

/** The source as a person types it. */
const pathOf = (address: string): string =>
  address.replace(/file:.*/, (url) => fileURLToPath(url)).replace(/(?<=[^/])\/$/, '')
