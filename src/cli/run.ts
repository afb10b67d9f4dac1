import { Command } from 'commander'
import { addSettings } from './flags.ts'
import { readSettings } from './read-settings.ts'
import { runSession } from './run-session.ts'
import { RUN_SETTINGS } from './run-settings.ts'

export function runCommand(): Command {
  const command = new Command('run')
    .description(
      'one pass over a folder or bucket: what is new or changed is parsed; progress, summary, honest exit code',
    )
    .argument('<source>', 'a folder, or s3://bucket/prefix')
  addSettings(command, RUN_SETTINGS)
  return command.action((source: string) => runSession(source, readSettings(command), 'scan'))
}
