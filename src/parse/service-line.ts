import type { WayOut } from './way-out.ts'

/** How a service is reached by what is asked of it beside documents. */
export interface ServiceLine {
  /** Without a login, a query and a slash at the end. */
  readonly baseUrl: string
  /** Empty for none. */
  readonly apiKey: string
  /** `Authorization` instead of a key: the login of the address; null for none. */
  readonly login: string | null
  readonly wayOut: WayOut
}

export function authorizationOf({ apiKey, login }: ServiceLine): { readonly authorization?: string } {
  if (login !== null) return { authorization: login }
  return apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }
}
