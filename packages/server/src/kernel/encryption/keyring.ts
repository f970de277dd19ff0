import { createHash, hkdfSync } from 'node:crypto'
import { checkedRootKey } from './encryption-key.ts'

/**
 * What a key is derived for. Each has an HKDF label of its own, so that none of them says anything about another or
 * about the root key. A label is part of the stored format: never change one.
 */
export type KeyPurpose = 'envelope' | 'api-key-pepper' | 'signed-url' | 'idempotency' | 'invite-link' | 'sign-in'

/** The keys derived from the root keys. Holds 32-byte secrets: hand on the one key that is needed, never the ring. */
export type Keyring = {
  /**
   * Id of the key under which new secrets are encrypted: 8 hex digits, no secret. The database decides which of those
   * held it is.
   */
  readonly activeId: string
  /** Encrypts under another key that is held from now on. @throws RangeError when it is not held */
  activate(id: string): void
  /** Ids of all keys held. A database that holds any other id cannot be served. */
  readonly ids: readonly string[]
  /** The derived key of the active root key, 32 bytes. */
  derive(purpose: KeyPurpose): Buffer
  /** The derived keys of all root keys, active first: what to try when something older is looked up or verified. */
  deriveAll(purpose: KeyPurpose): readonly Buffer[]
  /** The key that wraps the data keys encrypted under `id`, or `undefined` when that key is not held. */
  kek(id: string): Buffer | undefined
}

/**
 * @param keys root keys of 32 bytes as `parseEncryptionKey` or `readEncryptionKeyFile` return them: `active` encrypts,
 *   `retained` (the other one of a rotation) only opens, until it is activated
 * @throws EncryptionKeyError when one is weak or of the wrong length
 */
export function createKeyring(keys: { active: Buffer; retained?: Buffer | undefined }): Keyring {
  const roots = keys.retained === undefined ? [keys.active] : [keys.active, keys.retained]
  const derived = new Map<string, Map<KeyPurpose, Buffer>>()
  for (const root of roots) {
    checkedRootKey(root)
    derived.set(keyId(root), new Map(purposes.map((purpose) => [purpose, hkdf(root, purpose)])))
  }
  const ids = [...derived.keys()]
  let [activeId = ''] = ids
  const of = (id: string, purpose: KeyPurpose) => derived.get(id)?.get(purpose)
  const configured = (id: string, purpose: KeyPurpose) => {
    const key = of(id, purpose)
    if (key === undefined) throw new RangeError(`The key ${id} is not configured.`)
    return key
  }
  return {
    get activeId() {
      return activeId
    },
    activate(id) {
      if (!derived.has(id)) throw new RangeError(`The key ${id} is not configured.`)
      activeId = id
    },
    ids,
    derive: (purpose) => configured(activeId, purpose),
    deriveAll: (purpose) =>
      ids.toSorted((a, b) => Number(b === activeId) - Number(a === activeId)).map((id) => configured(id, purpose)),
    kek: (id) => of(id, 'envelope'),
  }
}

const purposes: readonly KeyPurpose[] = [
  'envelope',
  'api-key-pepper',
  'signed-url',
  'idempotency',
  'invite-link',
  'sign-in',
]

/** HKDF-SHA256 (RFC 5869) without salt: the root key is uniformly random already. */
function hkdf(root: Buffer, label: string): Buffer {
  return Buffer.from(hkdfSync('sha256', root, '', `mortise/v1/${label}`, 32))
}

/** Taken from a derived value of its own, so that the id stored with every secret says nothing about a key in use. */
function keyId(root: Buffer): string {
  return createHash('sha256').update(hkdf(root, 'key-id')).digest('hex').slice(0, 8)
}
