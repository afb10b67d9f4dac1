import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { FetchRefused } from './fetch-refused.ts'
import { isPrivateAddress } from './private-address.ts'

const refuse = (): FetchRefused => new FetchRefused('private_address')

/**
 * DNS lookup that returns public addresses only. The socket connects to the very address that the lookup checked, so
 * DNS rebinding fails.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) {
      callback(error, '', 0)
      return
    }
    const allowed = addresses.filter(({ address }) => !isPrivateAddress(address))
    const [first] = allowed
    if (first === undefined) callback(refuse(), '', 0)
    else if (options.all === true) callback(null, allowed)
    else callback(null, first.address, first.family)
  })
}

/** Checks a literal address in the URL, which bypasses the DNS lookup. */
export function refuseWrittenPrivateAddress(url: URL): void {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && isPrivateAddress(host)) throw refuse()
}
