import { expect, test } from 'vitest'
import { errorReply, type ReceivedRequest, type Reply } from '../support/scripted-service.ts'
import { Harness } from '../outages/support/harness.ts'

/** A scan that only OCR can read, as the service of the contract answers it. */
const onlyWithOcr = ({ file, options }: ReceivedRequest): Reply => {
  const scan = file?.content?.includes('scanned') === true
  return scan && !JSON.stringify(options).includes('"ocr"') ? errorReply(422, 'No text could be found') : {}
}

test('retry --key GLOB --mode ocr parses exactly the selected dead letters again, in mode ocr', async () => {
  await using harness = await Harness.open({ documents: 1, reply: onlyWithOcr })
  for (const name of ['scan-1.pdf', 'scan-2.pdf', 'other.pdf']) {
    await harness.write(name, `%PDF-1.4\n%scanned ${name}\n`)
  }
  const first = await harness.run()
  expect([first.code, (await harness.read()).letters.size]).toEqual([2, 3])
  const before = harness.service.requests.length

  const retried = await harness.start('retry', { key: 'scan-*', mode: 'ocr' }).finished
  const { records, letters } = await harness.read()
  expect([...letters.keys()]).toEqual(['other.pdf'])
  expect([...records.keys()].toSorted()).toEqual(['0.html', 'scan-1.pdf', 'scan-2.pdf'])
  const sent = harness.service.requests
    .slice(before)
    .map(({ file }) => /scan-\d/.exec(String(file?.content))?.[0] ?? '')
  expect(sent.toSorted()).toEqual(['scan-1', 'scan-2'])
  // One is left, and the exit code says so.
  expect(retried.code).toBe(2)
  expect(records.get('scan-1.pdf')?.recipe).toMatchObject({ parsers: [{ type: 'pdf', mode: 'ocr' }] })
}, 240_000)
