import { Command } from 'commander'
import type { DoctorFinding } from '#workers/doctor/finding.ts'
import { EXIT } from '../print/exit-codes.ts'
import { addSettings, readSettings } from '../session/flags.ts'
import { oneLine } from '../print/format.ts'
import { addOutput, outputOf } from '../print/output.ts'
import { TARGET_SETTINGS } from '../session/run-settings.ts'

const EXAMPLES = `
Examples:
  $ sluice doctor --out corpus
  $ PARSE_API_URL=https://... sluice doctor --out s3://bucket/parsed

Exit codes: 0 no problem, 1 a problem was found. Nothing is charged.`

export function doctorCommand(): Command {
  const command = new Command('doctor').addHelpText('after', EXAMPLES)
  addSettings(addOutput(command), [...TARGET_SETTINGS, 'caFile', 'clientCert', 'clientKey'])
  return command.action(async () => {
    const output = outputOf(command)
    const settings = await readSettings(command)
    const { examine } = await import('#workers/doctor/examine.ts')
    let problems = 0
    let warnings = 0
    for await (const finding of examine(settings)) {
      if (finding.level === 'problem') problems += 1
      if (finding.level === 'warning') warnings += 1
      output.result(lineOf(finding), () => ({ event: 'check', ...finding }))
    }
    const unproblematic = warnings === 0 ? 'no problem found' : `no problem found; warnings: ${warnings}`
    const verdict = problems === 0 ? unproblematic : `problems: ${problems}`
    output.result(verdict, () => ({ event: 'checked', problems }))
    process.exitCode = problems === 0 ? EXIT.allDone : EXIT.usage
  })
}

const lineOf = ({ level, subject, message, remedy }: DoctorFinding): string =>
  [
    `${level.padEnd(7)}  ${subject.padEnd(10)}  ${oneLine(message, 400)}`,
    ...(remedy ? [`         → ${remedy}`] : []),
  ].join('\n')
