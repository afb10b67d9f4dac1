import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { summariseGrades } from '#src/ingest/maintain/summarise-grades.ts'
import { PREDICT_MODEL, predictPage } from '#src/route/predict-page.ts'
import { writeLargePdf } from '../../support/large-pdf.ts'
import { answerOf } from '../../support/paged-answer.ts'
import { startTestRedis } from '../../support/redis.ts'
import { shared } from '../../support/shared.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { openRoutedBench } from '../../support/routed-bench.ts'

const redis = await shared(startTestRedis())
const folder = await shared(tempFolder())

/** The grade of a page whose expected words are worth more than it says. */
const GRADE = 0.87
const { engine } = PREDICT_MODEL
const well = PREDICT_MODEL.knots.find(({ quality }) => quality > 0.93)?.expected ?? 1
const badly = PREDICT_MODEL.knots.find(({ quality }) => quality > 0.6)?.expected ?? 1

test('the summary of grades does not call a page doubtful that no purchase counts as bad', async () => {
  await using routed = await openRoutedBench({
    redis,
    terms: { buyPages: 0 },
    engine: ({ file }) => {
      const expected = file?.content?.includes('badly') === true ? badly : well
      const { body } = answerOf(['text'], null)
      const { data } = body as { data: Record<string, unknown> }
      const pageGrades = [{ pageNumber: 1, grade: GRADE, expected, components: {} }]
      return { body: { success: true, data: { ...data, sluice: { engine, pageGrades } } } }
    },
    paid: () => answerOf(['bought'], null),
  })
  const path = join(folder.path, 'one.pdf')
  await writeLargePdf(path, { pictures: [2000] })
  const bytes = await readFile(path)
  await routed.bench.write('well.pdf', bytes)
  await routed.bench.write('badly.pdf', Buffer.concat([bytes, Buffer.from('% badly')]))
  for (const name of ['well.pdf', 'badly.pdf']) await routed.ingestToEnd(name)

  const record = await routed.deps.store.documents.read(sourceKey('well.pdf'))
  expect(record?.route?.pages.map(({ reason }) => reason)).toEqual(['good'])
  const { expectedQuality: expected } = predictPage({ grade: GRADE, expected: badly }, engine)
  expect(await summariseGrades(routed.deps, new AbortController().signal)).toMatchObject({
    graded: 2,
    good: 1,
    doubtful: 1,
    poor: 0,
    lowest: [{ key: 'badly.pdf', grade: GRADE, expected }],
  })
}, 120_000)
