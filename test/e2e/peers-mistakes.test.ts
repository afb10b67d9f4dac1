import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { errorReply } from '../support/scripted-service.ts'
import { Harness, textOf } from '../outages/support/harness.ts'

/* Small mistakes by which others lost or doubled their users' documents, each tried on the real program. */

const DELETING = { env: { SLUICE_DELETE_GONE: 'true' } }

async function markdownOf(harness: Harness, key: string): Promise<string> {
  const { folders } = await harness.read()
  return readFile(join(folders.get(key) ?? '', 'document.md'), 'utf8')
}

describe.concurrent('Sluice avoids the fault:', () => {
  test('state written before the work marks an interrupted document as done', async () => {
    let hangs = true
    await using harness = await Harness.open({ documents: 2, reply: () => (hangs ? { fault: 'hang' } : {}) })
    const running = harness.start('run', { 'takeover-ms': 1_000 })
    await harness.requested(2, running)
    running.child.kill('SIGKILL')
    await running.finished
    expect((await harness.read()).records.size).toBe(0)
    hangs = false
    expect((await harness.run({ 'takeover-ms': 1_000 })).code).toBe(0)
    await harness.expectAllPaidOnce(2)
  }, 240_000)

  test('the old output is deleted before the new one exists', async () => {
    await using harness = await Harness.open({
      documents: 1,
      reply: ({ file }) => (file?.content?.includes('second') === true ? errorReply(422, 'It is damaged') : {}),
    })
    await harness.run()
    const before = await markdownOf(harness, '0.html')
    await harness.write('0.html', '<p>second')
    const { code } = await harness.run()
    expect(code).toBe(2)
    const { letters } = await harness.read()
    expect([...letters.keys()]).toEqual(['0.html'])
    expect(await markdownOf(harness, '0.html')).toBe(before)
  }, 240_000)

  test('a scan for newer files misses a file moved in with an old date', async () => {
    await using harness = await Harness.open({ documents: 2 })
    await harness.run()
    const moved = `${harness.out}-moved.html`
    for (const name of ['new.html', '1.html']) {
      await writeFile(moved, `<p>from an old disk, as ${name}`)
      await utimes(moved, 1_000_000_000, 1_000_000_000)
      await rename(moved, join(harness.source, name))
    }
    expect((await harness.run()).code).toBe(0)
    expect(harness.service.charged).toBe(4)
    for (const name of ['new.html', '1.html']) {
      expect(await markdownOf(harness, name)).toBe(textOf(Buffer.from(`<p>from an old disk, as ${name}`)))
    }
  }, 240_000)

  test('a change of equal size within the same second goes unnoticed', async () => {
    await using harness = await Harness.open({ documents: 0 })
    await harness.write('0.html', '<p>one')
    await harness.run()
    const { mtime } = await stat(join(harness.source, '0.html'))
    await harness.write('0.html', '<p>two')
    await utimes(join(harness.source, '0.html'), mtime, new Date(Math.floor(mtime.getTime() / 1_000) * 1_000 + 1))
    expect((await harness.run()).code).toBe(0)
    expect(await markdownOf(harness, '0.html')).toBe(textOf(Buffer.from('<p>two')))
  }, 240_000)

  test('the deletion of one of two copies costs the other its outputs or a second payment', async () => {
    await using harness = await Harness.open({ documents: 0 })
    for (const name of ['a.html', 'b.html']) await harness.write(name, '<p>the same')
    await harness.run()
    await rm(join(harness.source, 'a.html'))
    expect((await harness.run({}, DELETING)).code).toBe(0)
    expect([...(await harness.read()).records.keys()]).toEqual(['b.html'])
    expect(await markdownOf(harness, 'b.html')).toBe(textOf(Buffer.from('<p>the same')))
    await harness.write('a.html', '<p>the same')
    expect((await harness.run()).code).toBe(0)
    expect([(await harness.read()).records.size, harness.service.charged]).toEqual([2, 1])
  }, 240_000)

  test('a second source in the same store marks the documents of the first as deleted', async () => {
    await using harness = await Harness.open({ documents: 3 })
    await harness.run()
    const other = `${harness.source}-other`
    await mkdir(other)
    await writeFile(join(other, 'other.html'), '<p>of another source')
    const first = [...(await harness.read()).records.keys()].toSorted()
    expect((await harness.run({}, { ...DELETING, source: other })).code).toBe(1)
    expect([...(await harness.read()).records.keys()].toSorted()).toEqual(first)
    expect((await harness.run({ prefix: 'more' }, { ...DELETING, source: other })).code).toBe(0)
    expect([...(await harness.read()).records.keys()].toSorted()).toEqual([...first, 'more/other.html'])
  }, 240_000)

  test('an answer without a document counts as a success', async () => {
    const empty = { status: 200, body: { success: true, data: {} } }
    await using harness = await Harness.open({ documents: 2, reply: ({ number }) => (number === 1 ? empty : {}) })
    await harness.run({ concurrency: 1 })
    const outcomes = [...(await harness.read()).records.values()].map(({ outcome, problems }) => [outcome, problems])
    expect(outcomes).toHaveLength(2)
    expect(outcomes).toContainEqual(['done', []])
    expect(outcomes).toContainEqual(['partial', [expect.any(String)]])
  }, 240_000)

  test('a document that never ends blocks all others', async () => {
    await using harness = await Harness.open({
      documents: 40,
      reply: ({ file }) => (file?.content?.includes('<p>7 ') === true ? { fault: 'hang' } : {}),
    })
    const running = harness.start('run', { concurrency: 3, 'grace-ms': 0 })
    while ((await harness.read().catch(() => null))?.records.size !== 39) await harness.pause()
    running.child.kill('SIGTERM')
    expect((await running.finished).code).toBe(130)
  }, 240_000)
})
