import { createHash, createHmac, createSecretKey } from 'node:crypto'
import { createEnvelope, type EncryptedAt, type Keyring } from '../../../kernel/encryption/index.ts'
import type { RecordChange, RecordContent } from '../kinds/index.ts'

/** Identifies a record of an installation. */
export function recordKey({ object, workspace, id }: Pick<RecordChange, 'object' | 'workspace' | 'id'>): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([object, workspace, id]))
    .digest()
}

interface Place {
  project_id: string
  installation_id: string
  record_key: Buffer
}

/** As `encrypted-columns.ts` has it. */
function encryptedAt({ project_id: project, installation_id: installation, record_key: key }: Place): EncryptedAt {
  return { table: 'records', project, row: `${installation} ${key.toString('hex')}`, column: 'encrypted_content' }
}

export interface StoredContent {
  content: string | null
  encrypted_content: string | null
  content_bytes: number
  fingerprint: Buffer | null
}

const noContent: StoredContent = { content: null, encrypted_content: null, content_bytes: 0, fingerprint: null }

/**
 * Returns how a content is stored. The fingerprint shows whether another content is the same, also where both are
 * encrypted. It has a key, so that nobody can try contents without it.
 */
export function storedContent(
  keyring: Keyring,
  place: Place,
  value: RecordContent | undefined,
  { isEncrypted }: { isEncrypted: boolean },
): StoredContent {
  if (value === undefined) return noContent
  const text = JSON.stringify(value)
  // With a key object, Node 24 needs a quarter of the time that it needs with a buffer.
  const key = createSecretKey(keyring.derive('record-fingerprint'))
  const fingerprint = createHmac('sha256', key).update(text).digest()
  const stored = isEncrypted ? createEnvelope(keyring).encrypt(text, encryptedAt(place)) : text
  return {
    content: isEncrypted ? null : stored,
    encrypted_content: isEncrypted ? stored : null,
    content_bytes: Buffer.byteLength(text),
    fingerprint,
  }
}

/** @throws UnknownEncryptionKey, DecryptionFailed */
export function openContent(
  keyring: Keyring,
  row: Place & Pick<StoredContent, 'content' | 'encrypted_content'>,
): RecordContent {
  const text =
    row.encrypted_content === null
      ? row.content
      : createEnvelope(keyring).open(row.encrypted_content, encryptedAt(row)).toString()
  return text === null ? {} : (JSON.parse(text) as RecordContent)
}
