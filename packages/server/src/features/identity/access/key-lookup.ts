import { LRUCache } from 'lru-cache'
import type { Database } from '../../../kernel/db/index.ts'
import { hashApiKey, isSameBytes, type Keyring } from '../../../kernel/encryption/index.ts'
import { type Credential, fingerprintOf, type Identity } from '../../../kernel/http/index.ts'
import { canBeApiKey } from './key-form.ts'
import { findActiveKey } from './store.ts'

/** Looks one kind of credential up; undefined when it is unknown, inactive, expired or malformed. */
export type FindIdentity = (value: string, fingerprint?: Credential['fingerprint']) => Promise<Identity | undefined>

export interface LookupAgain extends FindIdentity {
  /** Looks it up whatever is remembered, and remembers what it finds. */
  again: FindIdentity
}

/** A look-up that remembers for a moment. */
export interface RememberingLookup extends LookupAgain {
  /** Looks everything up anew from now on: called when a change of keys has committed. */
  forget(): void
}

export interface KeyLookup extends RememberingLookup {
  /** Whose key it is, where that is remembered; undefined when it has to be looked up. */
  known(value: string, fingerprint: Credential['fingerprint']): Identity | undefined
}

/** How long an answer is believed: a key that was switched off works for at most this long. */
const cacheMs = 5_000
const cacheEntries = 10_000

/**
 * Looks API keys up. Runs on every request: what cannot be a key is refused without a look-up, and answers, negative
 * ones too, are kept for five seconds under the hash of the key, never under the key itself. Simultaneous requests
 * share one look-up.
 */
export function createKeyLookup({
  database,
  keyring,
  now,
}: {
  database: Pick<Database, 'system'>
  keyring: Pick<Keyring, 'deriveAll'>
  now: () => Date
}): KeyLookup {
  // A key may have been stored under the root key before this one.
  const peppers = keyring.deriveAll('api-key-pepper')
  const cache = new LRUCache<string, { identity: Identity | undefined }, { apiKey: string }>({
    max: cacheEntries,
    ttl: cacheMs,
    ttlResolution: 0,
    perf: { now: () => now().getTime() },
    // A look-up that runs while all is forgotten still answers those who wait for it, and is not kept.
    ignoreFetchAbort: true,
    // What is known is believed as long as ever when it cannot be looked up again.
    noDeleteOnFetchRejection: true,
    fetchMethod: async (_, __, { context: { apiKey } }) => ({
      identity: await lookUp(
        database,
        peppers.map((pepper) => hashApiKey(pepper, apiKey)),
      ),
    }),
  })
  const seen: LRUCache.Status<string, { identity: Identity | undefined }, { apiKey: string }> = {}
  /**
   * By a plain hash, not the one of the look-up: it costs a fortieth of it on every request, and never leaves this
   * process.
   */
  function remembered(apiKey: string, fingerprint: string): { identity: Identity | undefined } | undefined {
    const known = cache.get(fingerprint, { status: seen })
    // A key in use is looked up again beside its requests, before its answer grows too old: none of them waits for it.
    if (known && (seen.remainingTTL ?? 0) < cacheMs / 2)
      cache.fetch(fingerprint, { context: { apiKey }, forceRefresh: true }).catch(() => undefined)
    return known
  }
  const find: FindIdentity = async (apiKey, fingerprint = fingerprintOf(apiKey)) => {
    if (!canBeApiKey(apiKey)) return undefined
    const known = remembered(apiKey, fingerprint) ?? (await cache.fetch(fingerprint, { context: { apiKey } }))
    return known?.identity
  }
  const again: FindIdentity = async (apiKey, fingerprint = fingerprintOf(apiKey)) =>
    (await cache.fetch(fingerprint, { context: { apiKey }, forceRefresh: true }))?.identity
  return Object.assign(find, {
    again,
    known: (apiKey: string, fingerprint: string) => remembered(apiKey, fingerprint)?.identity,
    forget: () => cache.clear(),
  })
}

async function lookUp(database: Pick<Database, 'system'>, hashes: Buffer[]): Promise<Identity | undefined> {
  const owner = await findActiveKey(database.system, hashes)
  if (!owner || !hashes.some((one) => isSameBytes(one, owner.hash))) return undefined
  const scope = (['full', 'frontend'] as const).find((candidate) => owner.scopes.includes(candidate))
  if (!scope) return undefined
  return {
    caller: { kind: 'apiKey', keyId: owner.keyId, scope, createdBy: owner.createdBy },
    project: { id: owner.projectId, name: owner.projectName, orgId: owner.orgId },
  }
}
