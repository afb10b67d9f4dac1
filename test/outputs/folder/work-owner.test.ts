import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { isOwnerGone, ownerMark } from '#src/outputs/folder/files/work-owner.ts'

const ONE_MINUTE = 60_000
const TWO_HOURS = 7_200_000

test('isGone is false for an hour for the work of a process in another PID namespace of the same host name', async () => {
  const mark = await ownerMark()
  const host = mark.split('~')[0] ?? ''
  expect(await isOwnerGone(mark, mark, ONE_MINUTE)).toBe(false)
  const elsewhere = `${hostname()}.pid-1~1~12345~abcd`
  expect(await isOwnerGone(elsewhere, mark, ONE_MINUTE)).toBe(false)
  expect(await isOwnerGone(elsewhere, mark, TWO_HOURS)).toBe(true)
  // On this host no process has this start time: a live process with the id is a later one.
  expect(await isOwnerGone(`${host}~1~never~abcd`, mark, ONE_MINUTE)).toBe(true)
})
