import type { Command } from 'commander'
import { Events } from '#src/events.ts'
import { outputOf } from '../print/output.ts'
import { TARGET_SETTINGS } from '../session/run-settings.ts'
import { addTargetFlags, forEachTarget, quiet, sourceCommand, targetsOf } from '../session/targets.ts'

/** Pauses all workers of a source on all machines. The pause outlives restarts, until `sluice resume`. */
export function pauseCommand(): Command {
  return switching('pause', true)
}

export function resumeCommand(): Command {
  return switching('resume', false)
}

function switching(name: string, paused: boolean): Command {
  const command = sourceCommand(name, 'source of the run (default: the pipelines of sluice.yaml)')
  addTargetFlags(command, TARGET_SETTINGS)
  return command.action(async (source: string | undefined) => {
    const targets = await targetsOf(command, source, quiet)
    const { openPipeline } = await import('#workers/pipeline/open-pipeline.ts')
    const output = outputOf(command)
    await forEachTarget(targets, output, async (target, shared) => {
      await using pipeline = await openPipeline({ ...target, shared, events: new Events(), say: quiet })
      await (paused ? pipeline.queue.pause() : pipeline.queue.resume())
      const event = paused ? 'paused' : 'resumed'
      output.result(`${event}: ${pipeline.source.url}`, () => ({ event, source: pipeline.source.url }))
    })
  })
}
