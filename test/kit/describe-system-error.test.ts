import { open } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { describeSystemError } from '#src/kit/describe-system-error.ts'

test('describeSystemError names a full disk when the error of an open file has no path', async () => {
  await using file = await open('/dev/full', 'w')
  const error: unknown = await file.writeFile('text').catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'ENOSPC' })
  expect(describeSystemError(error)).toBe('the file being written: the disk is full. Free some space and run again.')
})

test('describeSystemError does not treat an error of the program as a system error', () => {
  expect(describeSystemError(new Error('a bug'))).toBeNull()
})
