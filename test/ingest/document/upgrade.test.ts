import { expect, test } from 'vitest'
import { netChanges } from '#src/corpus/feed/net-changes.ts'
import { updateFeed } from '#src/corpus/feed/update-feed.ts'
import type { ParserPolicy } from '#src/document/parser.ts'
import { outdatedDocuments } from '#src/ingest/document/local-documents.ts'
import { planSource } from '#src/ingest/scan/plan-source.ts'
import { buildPdf, text } from '../../support/build-pdf.ts'
import { collect, sha256 } from '../../support/documents.ts'
import { startTestRedis } from '../../support/redis.ts'
import { parsedReply } from '../../support/scripted-service.ts'
import { shared } from '../../support/shared.ts'
import { planOf, ingestOnce, openWorkbench } from '../../support/workbench.ts'

/* A store that engine 2 wrote, under `--upgrade` to engine 3, which reads otherwise only what OCR had a part in. */

const SIGNAL = new AbortController().signal
const UNCONFIRMED = 'These pages hold an invisible text layer that what they show does not confirm: 1.'

/** Confidence of OCR on each page. */
const OCR: Readonly<Record<string, readonly (number | null)[]>> = {
  'scan.pdf': [0.9],
  'appendix-scanned.pdf': [null, null, 0.4],
  'unreadable-scan.pdf': [0],
  'layer.pdf': [null],
  'native.pdf': [null, null],
}

const redis = await shared(startTestRedis())

const engine = (version: string, upgrade: boolean): ParserPolicy => ({
  own: { class: 'embedded', origin: 'engine', version },
  acceptLocal: false,
  upgrade,
  upgradeOf: null,
})

test('--upgrade to engine 3 parses only documents with OCR again, and the feed shows nothing else', async () => {
  let version = '2'
  const nameOf = new Map<string, string>()
  await using bench = await openWorkbench({
    redis,
    answers: ({ file }) => {
      const name = nameOf.get(sha256(file?.content ?? '')) ?? ''
      const pageGrades = OCR[name]?.map((ocr, index) => ({ pageNumber: index + 1, grade: 0.9, components: { ocr } }))
      const sluice = pageGrades === undefined ? {} : { sluice: { engine: version, pageGrades } }
      return parsedReply(`${name} by ${version}`, {
        ...sluice,
        ...(name === 'layer.pdf' && { warning: UNCONFIRMED }),
      })
    },
  })
  const names = [...Object.keys(OCR), 'table.csv']
  const run = async (policy: ParserPolicy): Promise<readonly string[]> => {
    version = policy.own.version ?? ''
    const deps = { ...bench.deps, parsers: policy }
    const isOutdated = await outdatedDocuments(deps, SIGNAL)
    const planned = await collect(planSource(planOf({ ...deps, checksum: false, isOutdated }), SIGNAL))
    const toParse = planned.filter(({ change }) => change !== 'unchanged').map(({ key }) => key)
    for (const key of toParse) await ingestOnce(deps, key, 1)
    return toParse.toSorted()
  }
  for (const name of names) {
    const content = name.endsWith('.pdf') ? buildPdf([{ content: text(72, 72, name) }]) : 'a,b\n1,2\n'
    nameOf.set(sha256(content), name)
    await bench.write(name, content)
  }
  expect(await run(engine('2', false))).toEqual(names.toSorted())
  const { cursor } = await updateFeed(bench.deps.store, SIGNAL)

  expect(await run(engine('3', false))).toEqual([])
  const scanned = ['appendix-scanned.pdf', 'layer.pdf', 'scan.pdf', 'unreadable-scan.pdf']
  expect(await run(engine('3', true))).toEqual(scanned)
  expect(await run(engine('3', true))).toEqual([])
  expect(bench.service.requests.length).toBe(names.length + scanned.length)

  const after = await updateFeed(bench.deps.store, SIGNAL)
  const changed = await collect(netChanges(after.log, cursor.segments, after.cursor.segments))
  expect(changed.map(({ change, document }) => `${change} ${document}`).toSorted()).toEqual(
    scanned.map((name) => `changed ${name}`),
  )
  // A version that the table does not name reads everything otherwise.
  expect(await run(engine('4', true))).toEqual(names.toSorted())
})
