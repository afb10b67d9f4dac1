import { createHash } from 'node:crypto'
import { ApiError } from '../api-error.ts'
import { Account, type KeyLimits } from './account.ts'

/** Lookup uses a digest, so that its timing reveals no information about a key. */
const digest = (key: string): string => createHash('sha256').update(key).digest('hex')

const unauthorized = (): ApiError =>
  new ApiError({ status: 401, code: 'UNAUTHORIZED', message: 'Unauthorized: Invalid token' })

/** Authenticates requests. Without keys every caller shares one unlimited account. */
export class Accounts {
  readonly #withoutKeys: Account | null
  readonly #byDigest: ReadonlyMap<string, Account>

  constructor(keys: Readonly<Record<string, KeyLimits>> | null) {
    this.#withoutKeys = keys === null ? new Account({}) : null
    this.#byDigest = new Map(Object.entries(keys ?? {}).map(([key, limits]) => [digest(key), new Account(limits)]))
  }

  /** @throws {ApiError} 401, for a header without a known key */
  authenticate(authorization: string | undefined): Account {
    if (this.#withoutKeys !== null) return this.#withoutKeys
    const key = /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1]
    const account = key === undefined ? undefined : this.#byDigest.get(digest(key))
    if (account === undefined) throw unauthorized()
    return account
  }
}
