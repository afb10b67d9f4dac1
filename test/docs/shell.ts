import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { S3Server } from '../support/s3-server.ts'
import { MAIN } from '../support/sluice.ts'
import { after, until } from '../support/wait.ts'
import { ROOT } from './pages.ts'

/** Commands that go on until they are stopped, with the line that says that they are at work. */
const LONG_RUNNING: readonly (readonly [command: RegExp, ready: RegExp])[] = [
  [/sluice watch/, /Ctrl-C to stop/],
  [/sluice work/, /\S/],
  [/sluice view/, /http:\/\/127/],
  [/sluice engine/, /http:\/\/127/],
]

/** Far more than any of them takes; a command that hangs is named. */
const COMMAND_MS = 60_000

export interface Sandbox {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Texts of the page, each with its replacement. */
  readonly instead: readonly (readonly [text: string, other: string])[]
}

interface Ran {
  /** The command with the addresses of the test. */
  readonly text: string
  readonly said: string
  readonly code: number | null
  /** 0, or the end of what was interrupted. */
  readonly isExpected: boolean
}

/** Runs a command as a page prints it; one that goes on is interrupted once it is at work. */
export async function runInShell(command: string, { cwd, env, instead }: Sandbox): Promise<Ran> {
  const text = instead.reduce((line, [from, to]) => line.replace(from, to), command)
  const child = spawn('bash', ['-c', `exec env ${text}`], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (said += part))
  const ended = once(child, 'close')
  using _limit = after(COMMAND_MS, () => child.kill('SIGKILL'))
  const [, ready] = LONG_RUNNING.find(([longRunning]) => longRunning.test(command)) ?? []
  if (ready !== undefined) {
    const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null
    await until(`${command} says that it is ready`, COMMAND_MS, () => ready.test(said) || hasEnded())
    child.kill('SIGINT')
  }
  const [code] = (await ended) as [number | null]
  return { text, said, isExpected: code === 0 || (ready !== undefined && code === 130), code }
}

/** A folder with documents in a home of its own, a launcher, and settings for the bucket. */
export async function sandboxOf(server: S3Server, folder: string): Promise<Sandbox> {
  for (const name of ['papers', 'inbox', 'scans', 'web']) await mkdir(join(folder, 'home', name), { recursive: true })
  await copyFile(join(ROOT, 'samples/lock-inspection.docx'), join(folder, 'home/papers/inspection.docx'))
  await copyFile(join(ROOT, 'samples/boat-passages.csv'), join(folder, 'home/inbox/passages.csv'))
  await copyFile(join(ROOT, 'samples/scan.pdf'), join(folder, 'home/scans/scan.pdf'))
  await copyFile(join(ROOT, 'samples/stoppage-notice.html'), join(folder, 'home/web/notice.html'))
  await writeFile(join(folder, 'sluice'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`)
  await chmod(join(folder, 'sluice'), 0o755)
  await writeFile(join(folder, 'sluice.yaml'), 'pipelines:\n  papers:\n    source: home/papers\n    out: from-file\n')
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: join(folder, 'home'),
    SLUICE_CACHE_DIR: join(ROOT, 'node_modules/.cache/sluice'),
    SLUICE_ALLOW_PRIVATE_ADDRESSES: 'true',
    SLUICE_ENGINE_ALLOW_PRIVATE_ADDRESSES: 'true',
    ...server.env,
  }
  return { cwd: folder, env, instead: [] }
}
