import { expect, test } from 'vitest'
import { isPrivateAddress } from '../src/private-address.ts'

test.each([
  '127.0.0.1',
  '10.1.2.3',
  '172.31.255.255',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '255.255.255.255',
  '::1',
  '::',
  'fe80::1',
  'fd00::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  'ff02::1',
])('the address %s is private', (address) => {
  expect(isPrivateAddress(address)).toBe(true)
})

test.each(['1.1.1.1', '172.32.0.1', '192.169.0.1', '2606:4700::1111'])('the address %s is public', (address) => {
  expect(isPrivateAddress(address)).toBe(false)
})
