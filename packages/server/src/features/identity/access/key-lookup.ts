import type { Database } from '../../../kernel/db/index.ts'
import { hashApiKey, isSameBytes, type Keyring } from '../../../kernel/encryption/index.ts'
import { type Credential, fingerprintOf, type Identity } from '../../../kernel/http/index.ts'
import { type ChangedCredential, credentialsTopic, NodeCache, type PubSub } from '../../../kernel/pubsub/index.ts'
import { canBeApiKey } from './key-form.ts'
import { findActiveKey } from './store.ts'

/**
 * Finds the identity of one kind of credential; undefined if the credential is unknown, inactive, expired or malformed.
 */
export type FindIdentity = (value: string, fingerprint?: Credential['fingerprint']) => Promise<Identity | undefined>

export interface LookupAgain extends FindIdentity {
  /** Reads it again regardless of the cache, and caches the result. */
  again: FindIdentity
}

export interface KeyLookup extends LookupAgain {
  /** Returns the key's identity if it is cached, and undefined otherwise. */
  known(value: string, fingerprint: Credential['fingerprint']): Identity | undefined
}

/** How long a result is cached. A deactivated key works for at most this long. */
const cacheMs = 5_000
const cacheEntries = 10_000

/** A cache entry for a possible key. Without an identity, the key is unknown. */
interface Known {
  identity: Identity | undefined
}

/**
 * Finds the identities of API keys. It runs on every request, so a malformed key is refused without a query. Results,
 * also negative ones, are cached for five seconds under the hash of the key, never under the key itself.
 */
export function createKeyLookup({
  database,
  keyring,
  pubsub,
  now,
}: {
  database: Pick<Database, 'system'>
  keyring: Pick<Keyring, 'deriveAll'>
  pubsub: Pick<PubSub, 'subscribe'>
  now: () => Date
}): KeyLookup {
  // The key may have been stored under a previous encryption key.
  const peppers = keyring.deriveAll('api-key-pepper')
  // The cache uses a plain hash, not the stored one: it costs a fortieth on every request, and never leaves this
  // process.
  const keys = new NodeCache<Known, string, ChangedCredential>({
    pubsub,
    now,
    entriesMax: cacheEntries,
    maxAgeMs: cacheMs,
    refreshesAhead: true,
    topic: credentialsTopic,
    invalidates: ({ table, id }) => {
      if (table === 'api_keys') return ({ value }) => isOfKey(value, id)
      if (table === 'projects') return ({ value }) => id === undefined || value?.identity?.project?.id === id
      return undefined
    },
    load: async (_, apiKey) => ({
      identity: await lookUp(
        database,
        peppers.map((pepper) => hashApiKey(pepper, apiKey)),
      ),
    }),
  })
  const find: FindIdentity = async (apiKey, fingerprint = fingerprintOf(apiKey)) => {
    if (!canBeApiKey(apiKey)) return undefined
    return (keys.peek(fingerprint, apiKey) ?? (await keys.get(fingerprint, apiKey)))?.identity
  }
  const again: FindIdentity = async (apiKey, fingerprint = fingerprintOf(apiKey)) =>
    (await keys.reload(fingerprint, apiKey))?.identity
  return Object.assign(find, {
    again,
    known: (apiKey: string, fingerprint: string) => keys.peek(fingerprint, apiKey)?.identity,
  })
}

/** Returns whether a change concerns the entry: its own key, or any key. An entry without a key may be active now. */
function isOfKey(known: Known | undefined, id: string | undefined): boolean {
  const caller = known?.identity?.caller
  return id === undefined || caller?.kind !== 'apiKey' || caller.keyId === id
}

async function lookUp(database: Pick<Database, 'system'>, hashes: Buffer[]): Promise<Identity | undefined> {
  const owner = await findActiveKey(database.system, hashes)
  if (!owner || !hashes.some((one) => isSameBytes(one, owner.hash))) return undefined
  const scope = (['full', 'frontend'] as const).find((candidate) => owner.scopes.includes(candidate))
  if (!scope) return undefined
  return {
    caller: { kind: 'apiKey', keyId: owner.keyId, label: owner.label, scope, createdBy: owner.createdBy },
    project: { id: owner.projectId, name: owner.projectName, orgId: owner.orgId },
  }
}
