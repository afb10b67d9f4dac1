import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { FetchRefused } from './fetch-refused.ts'
import { isPrivateAddress } from './private-address.ts'

const refuse = (): FetchRefused => new FetchRefused('private_address')

/**
 * Name resolution that gives public addresses only. The socket is opened to the very address that was checked here, so
 * a name that resolves to something else a moment later gains nothing.
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

/** An address that is written out is never looked up, so it is checked here. */
export function refuseWrittenPrivateAddress(url: URL): void {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && isPrivateAddress(host)) throw refuse()
}
