// Compares what `plan` says of local-first, after a local pass, with what runs are then charged:
// `npm run route:plan -- [--documents N] [--seed S]`. Real engine, command line and store; the service is scripted and counts pages.
// The last line is JSON.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isBornDigital } from '../../test/support/mixed-pages/born-digital.ts'
import { kindOf, randomPage } from '../../test/support/mixed-pages/random-page.ts'
import { writePdf } from '../../test/support/mixed-pages/write-pdf.ts'
import { answerOf } from '../../test/support/paged-answer.ts'
import { Random } from '../../test/support/random.ts'
import { ScriptedService } from '../../test/support/scripted-service.ts'
import { type Finished, sluice } from '../../test/support/sluice.ts'

const { values } = parseArgs({
  options: { documents: { type: 'string', default: '12' }, seed: { type: 'string', default: '1' } },
})
const SCANNED = 0.2
const MOST_PAGES = 16
const SEVERITY = 5
const random = new Random(Number(values.seed))
let nextSeed = Number(values.seed) * 1_000_000 + 500_000

async function drawnPage(isScanned: boolean): ReturnType<typeof randomPage> {
  for (;;) {
    nextSeed += 1
    if (isBornDigital(kindOf(nextSeed)) !== isScanned)
      return randomPage(nextSeed, isScanned ? 1 + random.next() * (SEVERITY - 1) : 1)
  }
}

async function writeDocuments(folder: string): Promise<number> {
  let pages = 0
  for (let number = 0; number < Number(values.documents); number += 1) {
    const count = Math.floor(Math.exp(random.next() * Math.log(MOST_PAGES + 1)))
    const scans = Array.from({ length: count }, () => random.next() < SCANNED)
    const drawn = await Promise.all(scans.map(drawnPage))
    await writeFile(join(folder, `${number}.pdf`), writePdf(...drawn.map(({ content }) => content)))
    pages += count
  }
  return pages
}

async function succeeding(args: readonly string[]): Promise<Finished> {
  const finished = await sluice(args)
  // 2: some documents are partial or failed.
  if (finished.code !== 0 && finished.code !== 2) throw new Error(`sluice ${args.join(' ')}: ${finished.stderr}`)
  return finished
}

interface PlanLine {
  readonly policies: readonly { readonly policy: string; readonly credits: { low: number; high: number } | null }[]
}

const folder = await mkdtemp(join(tmpdir(), 'plan-accuracy-'))
let charged = 0
try {
  await using service = await new ScriptedService({
    answers: ({ file }) => {
      const pages = file?.content?.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0
      charged += pages
      return answerOf(
        Array.from({ length: pages }, (_, at) => `Bought page ${at + 1} of ${pages}.`),
        null,
      )
    },
  }).listen()
  const [source, out] = [join(folder, 'in'), join(folder, 'out')]
  await mkdir(source)
  const pages = await writeDocuments(source)
  await succeeding(['run', source, '--out', out])
  const paid = [source, '--out', out, '--parse-api-url', service.url]
  const { stdout } = await succeeding(['plan', ...paid, '--json'])
  const plan = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as PlanLine
  const rows = []
  for (const quality of [0.9, 0.95, 0.98]) {
    const planned = plan.policies.find(({ policy }) => policy === `local-first, page quality ${quality}`)?.credits
    await succeeding(['run', ...paid, '--route', 'local-first', '--quality-floor', String(quality)])
    // What a lower floor bought is not bought again: all that was charged so far is the price of this one.
    rows.push({ quality, planned, charged })
    console.log(`page quality ${quality}: planned ${planned?.low} to ${planned?.high} credits, charged ${charged}`)
  }
  console.log(JSON.stringify({ seed: Number(values.seed), documents: Number(values.documents), pages, rows }))
} finally {
  await rm(folder, { recursive: true })
}
