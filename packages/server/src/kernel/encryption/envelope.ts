import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { decodeCanonical } from './canonical-base64.ts'
import type { Keyring } from './keyring.ts'

/**
 * Where an encrypted value lives. It opens there and nowhere else: a value copied to another row, column or project is
 * broken.
 */
export type EncryptedAt = {
  table: string
  /** Project id. */
  project: string
  /** Row id. */
  row: string
  column: string
}

/** A value was encrypted under a key that is not in the keyring. */
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

/** An encrypted value was changed, cut, or moved to where it does not belong. Which of them is not said. */
export class DecryptionFailed extends Error {
  override name = 'DecryptionFailed'
  constructor() {
    super('A stored secret cannot be decrypted: it was changed, or belongs to another row.')
  }
}

/**
 * Envelope encryption of secrets: `v1.<key id>.<wrapped data key>.<nonce>.<ciphertext and tag>`, the last three in
 * canonical base64. Every secret has a data key of its own (AES-256-GCM), which is wrapped by the keyring's key
 * (AES-256-GCM too, as nonce, ciphertext and tag). Both layers are bound to the place, so a new root key only rewraps
 * the data keys.
 */
export type Envelope = {
  encrypt(plaintext: string | Buffer, at: EncryptedAt): string
  /** @throws UnknownEncryptionKey, DecryptionFailed */
  open(encrypted: string, at: EncryptedAt): Buffer
  /**
   * The same secret under the active key; the value itself when it is that already.
   * @throws UnknownEncryptionKey, DecryptionFailed
   */
  rewrap(encrypted: string, at: EncryptedAt): string
  /** The id of the key that a value is encrypted under. @throws DecryptionFailed */
  keyIdOf(encrypted: string): string
}

const version = 'v1'
const nonceBytes = 12
const tagBytes = 16
const dataKeyBytes = 32
/** Data keys of the secrets that were opened last, of each key of the ring. */
const dataKeysMax = 2_000

export function createEnvelope(keyring: Keyring): Envelope {
  const wrap = (dataKey: Buffer, at: EncryptedAt) => {
    const nonce = randomBytes(nonceBytes)
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
   * Remembered without its place: a value that was moved fails by its own layer, which is bound to the place as well.
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
      const dataKey = randomBytes(dataKeyBytes)
      const nonce = randomBytes(nonceBytes)
      const bytes = typeof plaintext === 'string' ? Buffer.from(plaintext) : plaintext
      const box = encrypt(createSecretKey(dataKey), nonce, bytes, additionalData('value', '', at))
      return joined({ keyId: keyring.activeId, wrapped: wrap(dataKey, at), nonce, box })
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
  const isWhole =
    found === version &&
    rest.length === 3 &&
    /^[0-9a-f]{8}$/.test(keyId) &&
    wrapped?.length === nonceBytes + dataKeyBytes + tagBytes &&
    nonce?.length === nonceBytes &&
    box !== undefined &&
    box.length >= tagBytes
  if (!isWhole) throw new DecryptionFailed()
  return { keyId, wrapped, nonce, box }
}

/**
 * JSON, because joining by a separator would let two places share one text. Columns have the names here that they had
 * when the format was defined (`sealed_…`): they are part of every stored value.
 */
function additionalData(layer: 'key' | 'value', keyId: string, { table, project, row, column }: EncryptedAt): Buffer {
  const stored = column.replace(/^encrypted/, 'sealed')
  return Buffer.from(JSON.stringify([version, layer, keyId, table, project, row, stored]))
}

interface WrappingKey {
  key: KeyObject
  /** Data keys that it wraps, by what they are wrapped as: who holds this key can open them all. */
  opened: LRUCache<string, KeyObject>
}

const wrappingKeys = new WeakMap<Buffer, WrappingKey>()

/** What belongs to a key of the ring, made once: it lives as long as the ring's own bytes. */
function wrappingKey(kek: Buffer): WrappingKey {
  const known = wrappingKeys.get(kek)
  if (known) return known
  const made = { key: createSecretKey(kek), opened: new LRUCache<string, KeyObject>({ max: dataKeysMax }) }
  wrappingKeys.set(kek, made)
  return made
}

/** As key objects: Node 24 takes 10 µs to make a cipher of a plain buffer, and 2 with the object made for it. */
function encrypt(key: KeyObject, nonce: Buffer, plaintext: Buffer, additional: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(additional)
  return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

/** The tag is cut at its full length: left to itself, Node accepts one of four bytes. */
function decrypt(key: KeyObject, nonce: Buffer, box: Buffer, additional: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(additional)
  decipher.setAuthTag(box.subarray(-tagBytes))
  try {
    return Buffer.concat([decipher.update(box.subarray(0, -tagBytes)), decipher.final()])
  } catch {
    // Whatever failed, the answer is the same, and the cause would say where.
    throw new DecryptionFailed()
  }
}
