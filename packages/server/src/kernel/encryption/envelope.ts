import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { decodeCanonical } from './canonical-base64.ts'
import type { Keyring } from './keyring.ts'

/**
 * Location of an encrypted value, used as additional authenticated data. A value that is copied to another row, column
 * or project cannot be decrypted.
 */
export type EncryptedAt = {
  table: string
  /** Project id. */
  project: string
  /** Row id. */
  row: string
  column: string
}

/** The keyring lacks the key that a value is encrypted under. */
export class UnknownEncryptionKey extends Error {
  override name = 'UnknownEncryptionKey'
  readonly keyId: string
  constructor(keyId: string) {
    super(
      `A stored secret is encrypted with the key ${keyId}, which is not configured. Restore that key from your backup.`,
    )
    this.keyId = keyId
  }
}

/** An encrypted value was changed, truncated or moved. The error does not say which. */
export class DecryptionFailed extends Error {
  override name = 'DecryptionFailed'
  constructor() {
    super('A stored secret cannot be decrypted: it was changed, or belongs to another row.')
  }
}

/**
 * Envelope encryption of secrets: `v1.<key id>.<wrapped data key>.<nonce>.<ciphertext and tag>`, the last three in
 * canonical base64. Every secret has a separate data key (AES-256-GCM). The keyring's key wraps the data key (also
 * AES-256-GCM, as nonce, ciphertext and tag). Both layers authenticate the location. A new encryption key only rewraps
 * the data keys.
 */
export type Envelope = {
  encrypt(plaintext: string | Buffer, at: EncryptedAt): string
  /** @throws UnknownEncryptionKey, DecryptionFailed */
  open(encrypted: string, at: EncryptedAt): Buffer
  /**
   * Returns the same secret under the active key; the value itself when it already uses that key.
   * @throws UnknownEncryptionKey, DecryptionFailed
   */
  rewrap(encrypted: string, at: EncryptedAt): string
  /** Returns the id of the key that a value is encrypted under. @throws DecryptionFailed */
  keyIdOf(encrypted: string): string
}

const version = 'v1'
const nonceBytes = 12
const tagBytes = 16
const dataKeyBytes = 32
/** Number of recently used data keys that are cached for each key of the ring. */
const dataKeysMax = 2_000

export function createEnvelope(keyring: Keyring): Envelope {
  const wrap = (dataKey: Buffer, at: EncryptedAt, nonce = randomBytes(nonceBytes)) => {
    const { key } = wrappingKey(keyring.derive('envelope'))
    return Buffer.concat([nonce, encrypt(key, nonce, dataKey, additionalData('key', keyring.activeId, at))])
  }
  const kekOf = (keyId: string): WrappingKey => {
    const kek = keyring.kek(keyId)
    if (kek === undefined) throw new UnknownEncryptionKey(keyId)
    return wrappingKey(kek)
  }
  const unwrap = ({ keyId, wrapped }: Parts, at: EncryptedAt): Buffer => {
    const { key } = kekOf(keyId)
    const data = additionalData('key', keyId, at)
    return decrypt(key, wrapped.subarray(0, nonceBytes), wrapped.subarray(nonceBytes), data)
  }
  /**
   * Returns the data key, cached without its location: a moved value fails in its own layer, which authenticates the
   * location too.
   */
  const dataKeyOf = (parts: Parts, at: EncryptedAt): KeyObject => {
    const { opened } = kekOf(parts.keyId)
    const name = parts.wrapped.toString('latin1')
    const known = opened.get(name)
    if (known) return known
    const made = createSecretKey(unwrap(parts, at))
    opened.set(name, made)
    return made
  }

  return {
    encrypt(plaintext, at) {
      // In one call: each takes longer than its bytes.
      const random = randomBytes(dataKeyBytes + 2 * nonceBytes)
      const dataKey = random.subarray(0, dataKeyBytes)
      const nonce = random.subarray(dataKeyBytes, dataKeyBytes + nonceBytes)
      const wrappingNonce = random.subarray(dataKeyBytes + nonceBytes)
      const bytes = typeof plaintext === 'string' ? Buffer.from(plaintext) : plaintext
      const box = encrypt(createSecretKey(dataKey), nonce, bytes, additionalData('value', '', at))
      return joined({ keyId: keyring.activeId, wrapped: wrap(dataKey, at, wrappingNonce), nonce, box })
    },
    open(encrypted, at) {
      const parts = parse(encrypted)
      return decrypt(dataKeyOf(parts, at), parts.nonce, parts.box, additionalData('value', '', at))
    },
    rewrap(encrypted, at) {
      const parts = parse(encrypted)
      if (parts.keyId === keyring.activeId) return encrypted
      return joined({ ...parts, keyId: keyring.activeId, wrapped: wrap(unwrap(parts, at), at) })
    },
    keyIdOf: (encrypted) => parse(encrypted).keyId,
  }
}

type Parts = { keyId: string; wrapped: Buffer; nonce: Buffer; box: Buffer }

function joined({ keyId, wrapped, nonce, box }: Parts): string {
  return `${version}.${keyId}.${wrapped.toString('base64')}.${nonce.toString('base64')}.${box.toString('base64')}`
}

function parse(encrypted: string): Parts {
  const [found, keyId = '', ...rest] = encrypted.split('.')
  const [wrapped, nonce, box] = rest.map((part) => decodeCanonical(part, 'base64'))
  const isComplete =
    found === version &&
    rest.length === 3 &&
    /^[0-9a-f]{8}$/.test(keyId) &&
    wrapped?.length === nonceBytes + dataKeyBytes + tagBytes &&
    nonce?.length === nonceBytes &&
    box !== undefined &&
    box.length >= tagBytes
  if (!isComplete) throw new DecryptionFailed()
  return { keyId, wrapped, nonce, box }
}

/**
 * Uses JSON, because two locations could give the same text with a separator. Columns keep the names that they had when
 * the format was defined (`sealed_…`), because the names are part of every stored value.
 */
function additionalData(layer: 'key' | 'value', keyId: string, { table, project, row, column }: EncryptedAt): Buffer {
  const stored = column.replace(/^encrypted/, 'sealed')
  return Buffer.from(JSON.stringify([version, layer, keyId, table, project, row, stored]))
}

interface WrappingKey {
  key: KeyObject
  /** Data keys by their wrapped form. Holders of this key can decrypt them all. */
  opened: LRUCache<string, KeyObject>
}

const wrappingKeys = new WeakMap<Buffer, WrappingKey>()

/** Creates the cached objects of one key of the ring; they live as long as the bytes of the ring. */
function wrappingKey(kek: Buffer): WrappingKey {
  const known = wrappingKeys.get(kek)
  if (known) return known
  const made = { key: createSecretKey(kek), opened: new LRUCache<string, KeyObject>({ max: dataKeysMax }) }
  wrappingKeys.set(kek, made)
  return made
}

/** Takes key objects: Node 24 needs 10 µs to make a cipher from a plain buffer, and 2 with a key object. */
function encrypt(key: KeyObject, nonce: Buffer, plaintext: Buffer, additional: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(additional)
  return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

/** Requires the tag at its full length: by default, Node accepts one of four bytes. */
function decrypt(key: KeyObject, nonce: Buffer, box: Buffer, additional: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(additional)
  decipher.setAuthTag(box.subarray(-tagBytes))
  try {
    return Buffer.concat([decipher.update(box.subarray(0, -tagBytes)), decipher.final()])
  } catch {
    // Every failure gives the same error; a cause would reveal which part failed.
    throw new DecryptionFailed()
  }
}
