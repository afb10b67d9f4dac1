import { createHash } from 'node:crypto'
import { type StoreId, storeId } from '#src/document/ids.ts'
import type { RedisClient } from '#src/redis/lua-script.ts'

/**
 * Remembers in Redis the last store at an address. Another store there, or none, is another disk: the ledger does not
 * describe it.
 */
export class KnownStores {
  readonly #client: RedisClient

  constructor(client: RedisClient) {
    this.#client = client
  }

  async read(address: string): Promise<StoreId | null> {
    const id = await this.#client.get(keyOf(address))
    return id === null ? null : storeId(id)
  }

  async write(address: string, id: StoreId): Promise<void> {
    await this.#client.set(keyOf(address), id)
  }
}

const keyOf = (address: string): string =>
  `sluice:store:${createHash('sha256').update(address).digest('hex').slice(0, 16)}`
