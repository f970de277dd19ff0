import { createHash, hkdfSync } from 'node:crypto'
import { checkedRootKey } from './encryption-key.ts'

/**
 * Purpose of a derived key. Each has a separate HKDF label, so no derived key reveals anything about another or about
 * the encryption key. A label is part of the stored format: never change one.
 */
export type KeyPurpose =
  | 'envelope'
  | 'api-key-pepper'
  | 'signed-url'
  | 'idempotency'
  | 'invite-link'
  | 'sign-in'
  | 'record-fingerprint'

/**
 * The keys derived from the encryption keys. It holds 32-byte secrets: pass on the one key that is needed, never the
 * ring.
 */
export type Keyring = {
  /**
   * Id of the key that encrypts new secrets: 8 hex digits, not secret. The database decides which key of the ring it
   * is.
   */
  readonly activeId: string
  /** Encrypts under another key of the ring from now on. @throws RangeError when the ring lacks the key */
  activate(id: string): void
  /** Ids of all keys of the ring. A database that uses any other id cannot be served. */
  readonly ids: readonly string[]
  /** Returns the key derived from the active encryption key, 32 bytes. */
  derive(purpose: KeyPurpose): Buffer
  /** Returns the keys derived from all encryption keys, active first; try each to look up or verify older values. */
  deriveAll(purpose: KeyPurpose): readonly Buffer[]
  /** Returns the key that wraps the data keys encrypted under `id`, or `undefined` when the ring lacks it. */
  kek(id: string): Buffer | undefined
}

/**
 * @param keys encryption keys of 32 bytes as `parseEncryptionKey` or `readEncryptionKeyFile` return them: `active`
 *   encrypts, `retained` (the other one of a rotation) only decrypts until it is activated
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
  'record-fingerprint',
]

/** HKDF-SHA256 (RFC 5869) without salt: the encryption key is already uniformly random. */
function hkdf(root: Buffer, label: string): Buffer {
  return Buffer.from(hkdfSync('sha256', root, '', `mortise/v1/${label}`, 32))
}

/** Hashes a separate derived value, so the id stored with every secret reveals nothing about a key in use. */
function keyId(root: Buffer): string {
  return createHash('sha256').update(hkdf(root, 'key-id')).digest('hex').slice(0, 8)
}
