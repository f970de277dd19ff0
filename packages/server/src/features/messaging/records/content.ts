import { createHmac, createSecretKey, hash } from 'node:crypto'
import { createEnvelope, type EncryptedAt, type Keyring } from '../../../kernel/encryption/index.ts'
import type { RecordChange, RecordContent } from '../kinds/index.ts'

/** Identifies a record of an installation, as hex digits: Node 24 needs half the time of a buffer. */
export function recordKey({ object, workspace, id }: Pick<RecordChange, 'object' | 'workspace' | 'id'>): string {
  return hash('sha256', JSON.stringify([object, workspace, id]), 'hex')
}

interface Place {
  project_id: string
  installation_id: string
  /** As `recordKey` returns it. */
  record_key: string
}

/** As `encrypted-columns.ts` has it. */
function encryptedAt({ project_id: project, installation_id: installation, record_key: key }: Place): EncryptedAt {
  return { table: 'records', project, row: `${installation} ${key}`, column: 'encrypted_content' }
}

export interface StoredContent {
  content: string | null
  encrypted_content: string | null
  content_bytes: number
  /** Hex digits. */
  fingerprint: string | null
}

const noContent: StoredContent = { content: null, encrypted_content: null, content_bytes: 0, fingerprint: null }

/** Returns how a content is stored. */
export type StoreContent = (place: Place, value: RecordContent | undefined) => StoredContent

/**
 * Returns a function for the contents of one transaction. The fingerprint shows whether another content is the same,
 * also where both are encrypted. It has a key, so that nobody can try contents without it.
 */
export function contentStorer(keyring: Keyring, { isEncrypted }: { isEncrypted: boolean }): StoreContent {
  const envelope = createEnvelope(keyring)
  // With a key object, Node 24 needs a quarter of the time that it needs with a buffer.
  const key = createSecretKey(keyring.derive('record-fingerprint'))
  return (place, value) => {
    if (value === undefined) return noContent
    const text = JSON.stringify(value)
    const bytes = Buffer.from(text)
    return {
      content: isEncrypted ? null : text,
      encrypted_content: isEncrypted ? envelope.encrypt(bytes, encryptedAt(place)) : null,
      content_bytes: bytes.length,
      fingerprint: createHmac('sha256', key).update(bytes).digest('hex'),
    }
  }
}

/** Returns the JSON of a content; undefined if there is none. @throws UnknownEncryptionKey, DecryptionFailed */
export type OpenContent = (row: Place & Pick<StoredContent, 'content' | 'encrypted_content'>) => string | undefined

/** Returns a function for the contents of one page. */
export function contentOpener(keyring: Keyring): OpenContent {
  const envelope = createEnvelope(keyring)
  return (row) =>
    row.encrypted_content === null
      ? (row.content ?? undefined)
      : envelope.open(row.encrypted_content, encryptedAt(row)).toString()
}
