import { timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../kernel/db/index.ts'
import type { Authenticate, Identity } from '../../kernel/http/index.ts'
import { hashApiKey, type Keyring } from '../../kernel/seal/index.ts'
import { canBeApiKey } from './key-form.ts'
import { findActiveKey } from './store.ts'

/** How long an answer is believed: a key that was switched off works for at most this long. */
const cacheMs = 5_000
const cacheEntries = 10_000

/**
 * Looks API keys up. Runs on every request: what cannot be a key is refused without a look-up, and answers, negative ones too,
 * are kept for five seconds under the hash of the key, never under the key itself. Simultaneous requests share one look-up.
 */
export function createAuthenticate({
  database,
  keyring,
  now,
}: {
  database: Pick<Database, 'system'>
  keyring: Pick<Keyring, 'deriveAll'>
  now: () => Date
}): Authenticate {
  // A key may have been stored under the root key before this one.
  const peppers = keyring.deriveAll('api-key-pepper')
  const cache = new LRUCache<string, { identity: Identity | undefined }, { hashes: Buffer[] }>({
    max: cacheEntries,
    ttl: cacheMs,
    ttlResolution: 0,
    perf: { now: () => now().getTime() },
    fetchMethod: async (_, __, { context }) => ({ identity: await lookUp(database, context.hashes) }),
  })
  return async (apiKey) => {
    if (!canBeApiKey(apiKey)) return undefined
    const hashes = peppers.map((pepper) => hashApiKey(pepper, apiKey))
    const found = await cache.fetch(hashes[0]!.toString('base64'), { context: { hashes } })
    return found?.identity
  }
}

async function lookUp(database: Pick<Database, 'system'>, hashes: Buffer[]): Promise<Identity | undefined> {
  const owner = await findActiveKey(database.system, hashes)
  if (!owner || !hashes.some((hash) => timingSafeEqual(hash, owner.hash))) return undefined
  const scope = (['full', 'frontend'] as const).find((candidate) => owner.scopes.includes(candidate))
  if (!scope) return undefined
  return {
    caller: { kind: 'apiKey', keyId: owner.keyId, scope, createdBy: owner.createdBy },
    project: { id: owner.projectId, name: owner.projectName },
  }
}
