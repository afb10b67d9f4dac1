import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'

/** The engine's own process has its own flags: they are handed on as they are, so that each is described once. */
export function engineCommand(): Command {
  return new Command('engine')
    .description(
      'the engine alone: our own server of POST /v2/parse, with real local conversion (--help lists its flags)',
    )
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (_options: unknown, command: Command) => {
      const ending = import.meta.filename.endsWith('.ts') ? 'ts' : 'js'
      const entry = fileURLToPath(new URL(`../../workers/engine.${ending}`, import.meta.url))
      const child = spawn(process.execPath, [entry, ...command.args], { stdio: 'inherit' })
      // The terminal sends Ctrl-C to both of us: the engine ends by itself, and we after it.
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
      const [code] = (await once(child, 'exit')) as [number | null]
      process.exitCode = code ?? 1
    })
}
