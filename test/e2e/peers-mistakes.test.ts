import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { errorReply } from '../support/scripted-service.ts'
import { Scene, textOf } from '../outages/support/scene.ts'

/* Small mistakes by which others lost or doubled their users' documents, each tried on the real program. */

const DELETING = { env: { SLUICE_DELETE_GONE: 'true' } }

async function markdownOf(scene: Scene, key: string): Promise<string> {
  const { folders } = await scene.read()
  return readFile(join(folders.get(key) ?? '', 'document.md'), 'utf8')
}

describe.concurrent('not one of these', () => {
  test('state is written before the work: a document cut off in the middle is taken for done', async () => {
    let hangs = true
    await using scene = await Scene.open({ documents: 2, reply: () => (hangs ? { fault: 'hang' } : {}) })
    const running = scene.start('run', { 'takeover-ms': 1_000 })
    await scene.requested(2, running)
    running.child.kill('SIGKILL')
    await running.finished
    expect((await scene.read()).records.size).toBe(0)
    hangs = false
    expect((await scene.run({ 'takeover-ms': 1_000 })).code).toBe(0)
    await scene.expectAllPaidOnce(2)
  }, 60_000)

  test('the old output is deleted before the new one exists', async () => {
    await using scene = await Scene.open({
      documents: 1,
      reply: ({ file }) => (file?.content?.includes('second') === true ? errorReply(422, 'It is damaged') : {}),
    })
    await scene.run()
    const before = await markdownOf(scene, '0.html')
    await scene.write('0.html', '<p>second')
    const { code } = await scene.run()
    expect(code).toBe(2)
    const { letters } = await scene.read()
    expect([...letters.keys()]).toEqual(['0.html'])
    expect(await markdownOf(scene, '0.html')).toBe(before)
  }, 60_000)

  test('"newer than the last scan": a file moved in with an old date is never seen', async () => {
    await using scene = await Scene.open({ documents: 2 })
    await scene.run()
    const moved = `${scene.out}-moved.html`
    for (const name of ['new.html', '1.html']) {
      await writeFile(moved, `<p>from an old disk, as ${name}`)
      await utimes(moved, 1_000_000_000, 1_000_000_000)
      await rename(moved, join(scene.source, name))
    }
    expect((await scene.run()).code).toBe(0)
    expect(scene.service.charged).toBe(4)
    for (const name of ['new.html', '1.html']) {
      expect(await markdownOf(scene, name)).toBe(textOf(Buffer.from(`<p>from an old disk, as ${name}`)))
    }
  }, 60_000)

  test('a change of equal size within the same second is none', async () => {
    await using scene = await Scene.open({ documents: 0 })
    await scene.write('0.html', '<p>one')
    await scene.run()
    const { mtime } = await stat(join(scene.source, '0.html'))
    await scene.write('0.html', '<p>two')
    await utimes(join(scene.source, '0.html'), mtime, new Date(Math.floor(mtime.getTime() / 1_000) * 1_000 + 1))
    expect((await scene.run()).code).toBe(0)
    expect(await markdownOf(scene, '0.html')).toBe(textOf(Buffer.from('<p>two')))
  }, 60_000)

  test('one of two copies is deleted, and the other loses its outputs or is paid for again', async () => {
    await using scene = await Scene.open({ documents: 0 })
    for (const name of ['a.html', 'b.html']) await scene.write(name, '<p>the same')
    await scene.run()
    await rm(join(scene.source, 'a.html'))
    expect((await scene.run({}, DELETING)).code).toBe(0)
    expect([...(await scene.read()).records.keys()]).toEqual(['b.html'])
    expect(await markdownOf(scene, 'b.html')).toBe(textOf(Buffer.from('<p>the same')))
    await scene.write('a.html', '<p>the same')
    expect((await scene.run()).code).toBe(0)
    expect([(await scene.read()).records.size, scene.service.charged]).toEqual([2, 1])
  }, 60_000)

  test('a second source in the same store takes the documents of the first for deleted', async () => {
    await using scene = await Scene.open({ documents: 3 })
    await scene.run()
    const other = `${scene.source}-other`
    await mkdir(other)
    await writeFile(join(other, 'other.html'), '<p>of another source')
    const first = [...(await scene.read()).records.keys()].toSorted()
    expect((await scene.run({}, { ...DELETING, source: other })).code).toBe(1)
    expect([...(await scene.read()).records.keys()].toSorted()).toEqual(first)
    expect((await scene.run({ prefix: 'more' }, { ...DELETING, source: other })).code).toBe(0)
    expect([...(await scene.read()).records.keys()].toSorted()).toEqual([...first, 'more/other.html'])
  }, 60_000)

  test('no credits left: no documents, no error', async () => {
    await using scene = await Scene.open({ documents: 3, reply: () => errorReply(402, 'Payment Required') })
    const { code, stdout } = await scene.run()
    expect(code).toBe(3)
    expect(stdout).toMatch(/halted: /)
    const { records, letters } = await scene.read()
    expect([records.size, letters.size]).toEqual([0, 0])
  }, 60_000)

  test('an answer without a document counts as one that came out', async () => {
    const empty = { status: 200, body: { success: true, data: {} } }
    await using scene = await Scene.open({ documents: 2, reply: ({ number }) => (number === 1 ? empty : {}) })
    await scene.run({ concurrency: 1 })
    const outcomes = [...(await scene.read()).records.values()].map(({ outcome, problems }) => [outcome, problems])
    expect(outcomes).toHaveLength(2)
    expect(outcomes).toContainEqual(['done', []])
    expect(outcomes).toContainEqual(['partial', [expect.any(String)]])
  }, 60_000)

  test('a batch exits with 0 although a document failed, also when it is run again', async () => {
    await using scene = await Scene.open({
      documents: 4,
      reply: ({ file }) => (file?.content?.includes('<p>2 ') === true ? errorReply(422, 'It is damaged') : {}),
    })
    for (const round of [1, 2]) expect([round, (await scene.run()).code]).toEqual([round, 2])
    expect([(await scene.read()).records.size, scene.service.requests.length]).toEqual([3, 4])
  }, 60_000)

  test('a document that never comes back holds up all the others', async () => {
    await using scene = await Scene.open({
      documents: 40,
      reply: ({ file }) => (file?.content?.includes('<p>7 ') === true ? { fault: 'hang' } : {}),
    })
    const running = scene.start('run', { concurrency: 3, 'grace-ms': 0 })
    while ((await scene.read().catch(() => null))?.records.size !== 39) await scene.pause()
    running.child.kill('SIGTERM')
    expect((await running.finished).code).toBe(130)
  }, 60_000)
})
