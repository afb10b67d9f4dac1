import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { openSite } from '../support/web-site.ts'
import { elapse, until } from '../support/wait.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { COMPILED, MAIN } from '../support/sluice.ts'

interface RunningTerminal {
  /** Everything that was written to the terminal until now, control sequences included. */
  readonly text: () => string
  /** Presses keys. */
  readonly type: (keys: string) => void
  readonly ended: Promise<number | null>
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** Runs the real program on a terminal (a pty that `script` of util-linux opens) of so many columns. */
function onTerminal(args: readonly string[], columns = 80): RunningTerminal {
  const words = [process.execPath, '--disable-warning=ExperimentalWarning', MAIN, ...args].map(quoted).join(' ')
  const { PATH = '', HOME = '' } = process.env
  const child = spawn('script', ['-qefc', `stty cols ${columns} rows 24; exec ${words}`, '/dev/null'], {
    env: { PATH, HOME, TERM: 'xterm', SHELL: '/bin/sh', XDG_STATE_HOME: '/dev/null', NODE_COMPILE_CACHE: COMPILED },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part))
  return {
    text: () => text,
    type: (keys) => void child.stdin.write(keys),
    ended: once(child, 'close').then(([code]) => code as number | null),
  }
}

test('progress appears before the first answer of the listing, and the response to Ctrl-C stays visible', async () => {
  await using folder = await tempFolder()
  const answered = Promise.withResolvers<void>()
  // A site that says nothing until the test lets it: the listing has begun, and has found nothing yet.
  await using site = await openSite(() => ({ body: '<p>' }), answered.promise)
  const args = ['run', site.url, '--out', join(folder.path, 'out'), '--allow-private-addresses', '--via', 'download']
  const terminal = onTerminal(args)
  try {
    await until('the listing to begin', 30_000, async () => site.asked.length > 0)
    await until('progress', 30_000, async () => terminal.text().includes('0 of 0 documents, listing: 0 so far'))
    terminal.type('\u0003')
    await until('the response', 10_000, async () => terminal.text().includes('finishing the requests in flight'))
    await elapse(600, 'live lines of progress are drawn again, and must not erase the response')
  } finally {
    answered.resolve()
  }
  expect(await terminal.ended).toBe(130)
  expect(screenOf(terminal.text())).toContain('finishing the requests in flight; press Ctrl-C again to stop at once')
})

test('Ctrl-C at the very start leaves no live line before the next prompt', async () => {
  await using folder = await tempFolder()
  const terminal = onTerminal(['run', folder.path, '--out', join(folder.path, 'out')])
  await until('the first live line', 30_000, async () => terminal.text().includes('starting'))
  terminal.type('\u0003')
  expect(await terminal.ended).toBe(130)
  expect(screenOf(terminal.text()).at(-1)).not.toContain('starting')
})

/** What a person sees at the end: live lines are erased by "up" and "clear down". */
function screenOf(written: string): string[] {
  const rows = ['']
  for (const [part = ''] of written.matchAll(/\u001b\[1A|\u001b\[0J|\r|\n|[^\u001b\r\n]+|\u001b/g)) {
    if (part === '\n') rows.push('')
    else if (part === '\u001b[1A') rows.pop()
    else if (part === '\u001b[0J') rows.splice(-1, 1, '')
    else if (part !== '\r') rows.push(`${rows.pop() ?? ''}${part}`)
  }
  return rows
}
