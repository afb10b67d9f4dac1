import type { ServiceNetwork } from './service-network.ts'

/** Connection to a service for requests other than documents. */
export interface ServiceConnection {
  /** Without a login, a query and a slash at the end. */
  readonly baseUrl: string
  /** Empty for none. */
  readonly apiKey: string
  /** Value of the `Authorization` header instead of a key: the login of the address; null for none. */
  readonly login: string | null
  readonly network: ServiceNetwork
}

export function authorizationOf({ apiKey, login }: ServiceConnection): { readonly authorization?: string } {
  if (login !== null) return { authorization: login }
  return apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }
}

/** Path of a base address, without the final slash. */
export const pathOf = ({ pathname }: URL): string => pathname.replace(/\/+$/, '')
