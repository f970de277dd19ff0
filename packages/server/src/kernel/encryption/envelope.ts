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
  const wrap = (dataKey: Buffer, location: string): string => {
    const { key } = wrappingKey(keyring.derive('envelope'))
    const nonce = takeRandom(nonceBytes)
    const box = encrypt(key, nonce, dataKey, additionalData('key', keyring.activeId, location))
    // The same as that of both together, because three bytes are four characters.
    return nonce.toString('base64') + box.toString('base64')
  }
  const kekOf = (keyId: string): WrappingKey => {
    const kek = keyring.kek(keyId)
    if (kek === undefined) throw new UnknownEncryptionKey(keyId)
    return wrappingKey(kek)
  }
  const unwrap = ({ keyId, wrapped }: Parts, location: string): Buffer => {
    const { key } = kekOf(keyId)
    const bytes = decoded(wrapped)
    const data = additionalData('key', keyId, location)
    return decrypt(key, bytes.subarray(0, nonceBytes), bytes.subarray(nonceBytes), data)
  }
  /**
   * Returns the data key, cached without its location: a moved value fails in its own layer, which authenticates the
   * location too.
   */
  const dataKeyOf = (parts: Parts, location: string): KeyObject => {
    const { opened } = kekOf(parts.keyId)
    const known = opened.get(parts.wrapped)
    if (known) return known
    const made = createSecretKey(unwrap(parts, location))
    // A copy: a slice would keep the whole value in memory.
    opened.set(Buffer.from(parts.wrapped, 'latin1').toString('latin1'), made)
    return made
  }

  return {
    encrypt(plaintext, at) {
      const location = locationOf(at)
      const dataKey = takeRandom(dataKeyBytes)
      const nonce = takeRandom(nonceBytes)
      const bytes = typeof plaintext === 'string' ? Buffer.from(plaintext) : plaintext
      const box = encrypt(createSecretKey(dataKey), nonce, bytes, additionalData('value', '', location))
      const wrapped = wrap(dataKey, location)
      dataKey.fill(0)
      return joined({ keyId: keyring.activeId, wrapped, nonce: nonce.toString('base64'), box: box.toString('base64') })
    },
    open(encrypted, at) {
      const location = locationOf(at)
      const parts = parse(encrypted)
      const [key, nonce, box] = [dataKeyOf(parts, location), decoded(parts.nonce), decoded(parts.box)]
      return decrypt(key, nonce, box, additionalData('value', '', location))
    },
    rewrap(encrypted, at) {
      const parts = checked(parse(encrypted))
      if (parts.keyId === keyring.activeId) return encrypted
      const location = locationOf(at)
      return joined({ ...parts, keyId: keyring.activeId, wrapped: wrap(unwrap(parts, location), location) })
    },
    keyIdOf: (encrypted) => checked(parse(encrypted)).keyId,
  }
}

/** Random bytes that no value has used yet. */
let random = Buffer.alloc(0)
const randomBytesMax = 4_096

/** Takes random bytes from a supply, because each call of `randomBytes` takes longer than its bytes. */
function takeRandom(size: number): Buffer {
  if (random.length < size) random = randomBytes(randomBytesMax)
  const taken = random.subarray(0, size)
  random = random.subarray(size)
  return taken
}

/** The last three in base64. */
type Parts = { keyId: string; wrapped: string; nonce: string; box: string }

function joined({ keyId, wrapped, nonce, box }: Parts): string {
  return `${version}.${keyId}.${wrapped}.${nonce}.${box}`
}

const base64Length = (bytes: number) => (bytes / 3) * 4
const wrappedLength = base64Length(nonceBytes + dataKeyBytes + tagBytes)
const nonceLength = base64Length(nonceBytes)
const wrappedAt = version.length + 10
const nonceAt = wrappedAt + wrappedLength + 1
const boxAt = nonceAt + nonceLength + 1

/** Finds the parts by their lengths: all but the last have one. Reads no part that is not needed. */
function parse(encrypted: string): Parts {
  const [, keyId] = /^v1\.([0-9a-f]{8})\.$/.exec(encrypted.slice(0, wrappedAt)) ?? []
  if (keyId === undefined || encrypted[nonceAt - 1] !== '.' || encrypted[boxAt - 1] !== '.')
    throw new DecryptionFailed()
  return {
    keyId,
    wrapped: encrypted.slice(wrappedAt, nonceAt - 1),
    nonce: encrypted.slice(nonceAt, boxAt - 1),
    box: encrypted.slice(boxAt),
  }
}

/** Checks what `open` finds when it decrypts. */
function checked(parts: Parts): Parts {
  for (const part of [parts.wrapped, parts.nonce]) decoded(part)
  if (decoded(parts.box).length < tagBytes) throw new DecryptionFailed()
  return parts
}

function decoded(part: string): Buffer {
  const bytes = decodeCanonical(part, 'base64')
  if (bytes === undefined) throw new DecryptionFailed()
  return bytes
}

/**
 * Returns the location as a part of the additional data. Uses JSON, because two locations could give the same text with
 * a separator. Columns keep the names that they had when the format was defined (`sealed_…`), because the names are
 * part of every stored value.
 */
function locationOf({ table, project, row, column }: EncryptedAt): string {
  const stored = column.startsWith('encrypted') ? `sealed${column.slice('encrypted'.length)}` : column
  return JSON.stringify([table, project, row, stored]).slice(1)
}

function additionalData(layer: 'key' | 'value', keyId: string, location: string): Buffer {
  return Buffer.from(`["${version}","${layer}","${keyId}",${location}`)
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
  if (box.length < tagBytes) throw new DecryptionFailed()
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(additional)
  decipher.setAuthTag(box.subarray(-tagBytes))
  try {
    return Buffer.concat([decipher.update(box.subarray(0, -tagBytes)), decipher.final()])
  } catch {
    // Every failure gives the same error; a cause would reveal which part failed.
    throw new DecryptionFailed()
  }
}
