import { open } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { describeSystemError } from '#src/kit/describe-system-error.ts'

test('a full disk is named where the system names no path, because the file was open', async () => {
  await using file = await open('/dev/full', 'w')
  const error: unknown = await file.writeFile('text').catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'ENOSPC' })
  expect(describeSystemError(error)).toBe('the file being written: the disk is full. Free some space and run again.')
})

test('describeSystemError: an error of the program is none of the system', () => {
  expect(describeSystemError(new Error('a bug'))).toBeNull()
})
