import { execFile, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { sluice } from '../support/sluice.ts'
import { tempFolder } from '../support/temp-folder.ts'

const run = promisify(execFile)

type Shell = 'bash' | 'zsh' | 'fish'

const isInstalled = (shell: Shell): boolean => spawnSync(shell, ['--version']).error === undefined

/** A test of one shell; skipped, with the reason in its name, where the shell is not installed. */
function testIn(shell: Shell, body: () => Promise<void>): void {
  const installed = isInstalled(shell)
  const reason = installed ? '' : ` (skipped: ${shell} is not installed)`
  test.skipIf(!installed)(`completes commands and flags in ${shell}${reason}`, body)
}

/** The completion script of a shell, in a file. */
async function scriptFor(shell: Shell): Promise<string> {
  const folder = await tempFolder()
  onTestFinished(() => folder[Symbol.asyncDispose]())
  const file = join(folder.path, `sluice.${shell}`)
  await writeFile(file, (await sluice(['completion', shell])).stdout)
  return file
}

let commands: string[] = []

beforeAll(async () => {
  const { stdout } = await sluice(['--help'])
  commands = [...stdout.matchAll(/^ {2}([a-z]+) .*/gm)].map(([, name = '']) => name)
})

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

describe('the completion script, loaded in its shell,', () => {
  testIn('bash', async () => {
    const file = await scriptFor('bash')
    const complete = async (...words: string[]): Promise<string[]> => {
      const line = words.map((word) => `'${word}'`).join(' ')
      const script = `source '${file}'; COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _sluice; printf '%s\\n' "\${COMPREPLY[@]}"`
      return lines((await run('bash', ['--norc', '-c', script])).stdout)
    }
    expect(commands.length).toBeGreaterThan(10)
    expect((await complete('sluice', '')).toSorted()).toEqual(commands.filter((name) => name !== 'help').toSorted())
    expect(await complete('sluice', 'wa')).toEqual(['watch'])
    expect(await complete('sluice', 'run', '~/papers', '--det')).toEqual(['--detect-changes'])
    expect(await complete('sluice', 'failures', '--co')).toEqual(expect.arrayContaining(['--code', '--config']))
  })

  testIn('fish', async () => {
    const file = await scriptFor('fish')
    const complete = async (line: string): Promise<string[]> => {
      const { stdout } = await run('fish', ['--no-config', '-c', `source '${file}'; complete --do-complete '${line}'`])
      return lines(stdout).map((each) => each.split('\t')[0] ?? '')
    }
    expect(await complete('sluice wat')).toEqual(['watch'])
    expect(await complete('sluice run --det')).toEqual(['--detect-changes'])
    expect(await complete('sluice failures --det')).toEqual([])
  })

  testIn('zsh', async () => {
    const file = await scriptFor('zsh')
    // A terminal of its own: zsh completes on the Tab key only. 42 is what the shell prints, not what was typed.
    const script = `
      zmodload zsh/zpty
      zpty -b shell zsh -f -i
      zpty -w shell "PS1=; autoload -U compinit; compinit -u -D; source '${file}'; print ready-\\$((40+2))"
      repeat 200; do zpty -r -t shell part && seen+=$part; [[ $seen == *ready-42* ]] && break; sleep 0.05; done
      for typed in 'sluice wat' 'sluice run --detec' 'sluice failures --cod'; do
        zpty -n -w shell $typed$'\\t'
        sleep 0.7
        zpty -n -w shell $'\\C-u'
        sleep 0.1
      done
      while zpty -r -t shell part; do print -rn -- $part; done
      zpty -d shell`
    const { stdout } = await run('zsh', ['-f', '-c', script], { timeout: 240_000 })
    for (const whole of ['sluice watch', 'sluice run --detect-changes', 'sluice failures --code']) {
      expect(stdout, whole).toContain(whole)
    }
  })
})
