import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { Database } from '../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../kernel/encryption/index.ts'
import { NodeCache, type PubSub, topic } from '../../../kernel/pubsub/index.ts'
import {
  deleteRetiredSigningKeys,
  insertSigningKey,
  listSigningKeys,
  lockSigningKeys,
  retireSigningKey,
  type SigningKeyRow,
} from './key-store.ts'

/** How long a key signs before the next one replaces it. */
const signsForMs = 90 * 86_400_000
/** A node that does not know a key reads the keys again immediately, but no more often than this. */
const lookAgainMs = 5_000
/** How long keys are cached without a notification. */
const maxAgeMs = 60_000

/** Published by triggers when the keys have changed. */
const signingKeysTopic = topic('signing_keys')

export interface SigningKeys {
  /** Returns the active key; creates it if there is none. */
  signer(): Promise<{ kid: string; key: CryptoKey }>
  /** Returns the public half of a stored key; undefined for an unknown id. */
  verifier(kid: string): Promise<CryptoKey | undefined>
  /** Returns every public half, as in a JWK Set (RFC 7517, 5). */
  publicKeys(): Promise<JWK[]>
  /**
   * Replaces the signing key if it is too old, or in any case with `always`. Deletes the keys whose tokens have all
   * expired.
   */
  rotate(options?: { always: boolean }): Promise<void>
}

/** The cache key of its one entry. */
const all = 'all'

interface Loaded {
  at: number
  publicJwks: Map<string, JWK>
  verifiers: Map<string, CryptoKey>
  active: SigningKeyRow | undefined
}

/** Manages the RSA keys that sign builders' tokens. They are stored in the database, the private halves encrypted. */
export function createSigningKeys({
  database,
  keyring,
  pubsub,
  now,
}: {
  database: Pick<Database, 'system'>
  keyring: Keyring
  pubsub: Pick<PubSub, 'subscribe'>
  now: () => Date
}): SigningKeys {
  const { system } = database
  const envelope = createEnvelope(keyring)
  let signing: { kid: string; key: CryptoKey } | undefined

  // One entry for all keys: a token names its key, and there are two or three.
  const kept = new NodeCache<Loaded, undefined, string>({
    pubsub,
    now,
    entriesMax: 1,
    maxAgeMs,
    topic: signingKeysTopic,
    invalidates: () => all,
    load: () => read(),
  })
  const load = async (staleMs: number): Promise<Loaded> => {
    const known = kept.peek(all, undefined)
    const loaded =
      known && now().getTime() - known.at < staleMs ? known : await kept[known ? 'reload' : 'get'](all, undefined)
    return loaded ?? (await read())
  }
  const read = async (): Promise<Loaded> => {
    const at = now().getTime()
    const rows = await listSigningKeys(system)
    const keys = await Promise.all(
      rows.map(async (row) => ({ row, key: (await importJWK(row.public_jwk as JWK, 'RS256')) as CryptoKey })),
    )
    return {
      at,
      publicJwks: new Map(rows.map((row) => [row.id, row.public_jwk as JWK])),
      verifiers: new Map(keys.map(({ row, key }) => [row.id, key])),
      active: rows.find((row) => row.active),
    }
  }
  /** @param wanted called under the lock, because another node may have renewed the key meanwhile */
  const renew = async (wanted: (active: SigningKeyRow | undefined) => boolean): Promise<void> => {
    await system.transaction().execute(async (tx) => {
      await lockSigningKeys(tx)
      const active = (await listSigningKeys(tx)).find((row) => row.active)
      if (!wanted(active)) return
      await retireSigningKey(tx)
      const pair = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true })
      const bare = await exportJWK(pair.publicKey)
      const id = await calculateJwkThumbprint(bare)
      const encryptedPrivateJwk = envelope.encrypt(JSON.stringify(await exportJWK(pair.privateKey)), encryptedAt(id))
      await insertSigningKey(tx, { id, publicJwk: { ...bare, kid: id, alg: 'RS256', use: 'sig' }, encryptedPrivateJwk })
    })
    kept.delete(all)
  }
  const ensured = async (staleMs: number): Promise<Loaded & { active: SigningKeyRow }> => {
    let { active, ...rest } = await load(staleMs)
    if (!active) {
      await renew((current) => current === undefined)
      ;({ active, ...rest } = await load(staleMs))
    }
    if (!active) throw new Error('there is no key that signs')
    return { ...rest, active }
  }

  return {
    async signer() {
      const { active } = await ensured(maxAgeMs)
      if (signing?.kid !== active.id) {
        const jwk = JSON.parse(envelope.open(active.encrypted_private_jwk, encryptedAt(active.id)).toString()) as JWK
        signing = { kid: active.id, key: (await importJWK(jwk, 'RS256')) as CryptoKey }
      }
      return signing
    },
    async verifier(kid) {
      const known = (await load(maxAgeMs)).verifiers.get(kid)
      return known ?? (await load(lookAgainMs)).verifiers.get(kid)
    },
    async publicKeys() {
      return [...(await ensured(lookAgainMs)).publicJwks.values()]
    },
    async rotate({ always } = { always: false }) {
      await renew(
        (active) => always || (active !== undefined && active.create_time.getTime() < now().getTime() - signsForMs),
      )
      await deleteRetiredSigningKeys(system)
    },
  }
}

function encryptedAt(id: string) {
  return { table: 'signing_keys', project: '', row: id, column: 'encrypted_private_jwk' }
}
