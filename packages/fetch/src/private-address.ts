import { BlockList, isIPv6 } from 'node:net'

/** Subnets outside the public internet (IANA special-purpose registries), and those that can embed such an address. */
const SUBNETS: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // All of ::/8: unspecified, loopback, and IPv4-mapped and -compatible. Public addresses do not use these forms.
  ['::', 8],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
]

type IpFamily = 'ipv4' | 'ipv6'
const familyOf = (address: string): IpFamily => (isIPv6(address) ? 'ipv6' : 'ipv4')

// A list per family: in a common list ::/8 would match every IPv4 address, because the lookup maps IPv4 into IPv6.
const PRIVATE: Readonly<Record<IpFamily, BlockList>> = { ipv4: new BlockList(), ipv6: new BlockList() }
for (const [network, prefix] of SUBNETS) PRIVATE[familyOf(network)].addSubnet(network, prefix, familyOf(network))

/** True if an address (not a name, no brackets) is outside the public internet. */
export function isPrivateAddress(address: string): boolean {
  return PRIVATE[familyOf(address)].check(address, familyOf(address))
}
