import type { Database } from '../../../kernel/db/index.ts'
import { hashApiKey, isSameBytes, type Keyring } from '../../../kernel/encryption/index.ts'
import { type Credential, fingerprintOf, type Identity } from '../../../kernel/http/index.ts'
import { type ChangedCredential, credentialsTopic, NodeCache, type PubSub } from '../../../kernel/pubsub/index.ts'
import { canBeApiKey } from './key-form.ts'
import { findActiveKey } from './store.ts'

/** Looks one kind of credential up; undefined when it is unknown, inactive, expired or malformed. */
export type FindIdentity = (value: string, fingerprint?: Credential['fingerprint']) => Promise<Identity | undefined>

export interface LookupAgain extends FindIdentity {
  /** Looks it up whatever is remembered, and remembers what it finds. */
  again: FindIdentity
}

export interface KeyLookup extends LookupAgain {
  /** Whose key it is, where that is kept; undefined when it has to be looked up. */
  known(value: string, fingerprint: Credential['fingerprint']): Identity | undefined
}

/** How long an answer is kept: a key that was switched off works for at most this long. */
const cacheMs = 5_000
const cacheEntries = 10_000

/** What the cache keeps of a text that may be a key: also that it is none. */
interface Known {
  identity: Identity | undefined
}

/**
 * Looks API keys up. Runs on every request: what cannot be a key is refused without a look-up. Answers, negative ones
 * too, are kept for five seconds under the hash of the key, never under the key itself.
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
  // A key may have been stored under the root key before this one.
  const peppers = keyring.deriveAll('api-key-pepper')
  // By a plain hash, not the one of the look-up: it costs a fortieth of it on every request, and never leaves this
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

/** Whether it is about a key, or about any; a key that was not active may be active now. */
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
    caller: { kind: 'apiKey', keyId: owner.keyId, scope, createdBy: owner.createdBy },
    project: { id: owner.projectId, name: owner.projectName, orgId: owner.orgId },
  }
}
