import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { onTerminal } from '../support/terminal.ts'
import { openSite } from '../support/web-site.ts'
import { elapse, until } from '../support/wait.ts'

test('progress is on the terminal before the listing has its first answer, and the response to Ctrl-C stays', async () => {
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
    await until('the response', 10_000, async () => terminal.text().includes('finishing what is in flight'))
    await elapse(600, 'live lines of progress are drawn again, and must not erase the response')
  } finally {
    answered.resolve()
  }
  expect(await terminal.ended).toBe(130)
  expect(screenOf(terminal.text())).toContain('finishing what is in flight; Ctrl-C again to stop at once')
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
