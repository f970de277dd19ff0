import type { Database } from '../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../kernel/encryption/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { kindOf } from '../kinds/index.ts'
import { type DestinationRow, findDestinationById, lockPlainDestinations, replacePlainMetadata } from './store.ts'

type Ref = Pick<DestinationRow, 'project_id' | 'id'>

function encryptedAt({ project_id: project, id: row }: Ref) {
  return { table: 'destinations', project, row, column: 'encrypted_metadata' }
}

export function encryptMetadata(keyring: Keyring, destination: Ref, metadata: object): string {
  return createEnvelope(keyring).encrypt(JSON.stringify(metadata), encryptedAt(destination))
}

/**
 * Returns the whole metadata of a destination. Plain metadata wins: a node of an earlier release may have written it
 * after they were encrypted.
 *
 * @throws UnknownEncryptionKey, DecryptionFailed
 */
export function openMetadata(
  keyring: Keyring,
  row: Ref & Pick<DestinationRow, 'metadata' | 'encrypted_metadata'>,
): object {
  if (hasPlainMetadata(row)) return row.metadata
  return JSON.parse(
    createEnvelope(keyring)
      .open(row.encrypted_metadata ?? '', encryptedAt(row))
      .toString(),
  )
}

/** Names where a destination sends to, without secrets; undefined when it was deleted. */
export async function findEndpoint(
  db: Parameters<typeof findDestinationById>[0],
  { keyring }: { keyring: Keyring },
  id: string,
): Promise<string | undefined> {
  const row = await findDestinationById(db, id)
  return row && kindOf(row.type).endpoint(openMetadata(keyring, row))
}

/** Whether an earlier release wrote the metadata, and they are not encrypted yet. */
export function hasPlainMetadata({ metadata }: Pick<DestinationRow, 'metadata'>): boolean {
  return Object.keys(metadata).length > 0
}

const batchRows = 500

/**
 * Encrypts the metadata that an earlier release stored in plain text. Every node does so before it answers; a node that
 * is stopped in the middle leaves rows that are readable as they were, for the next start.
 */
export async function encryptStoredDestinations({
  database,
  keyring,
  log,
}: {
  database: Database
  keyring: Keyring
  log: Logger
}): Promise<void> {
  let destinations = 0
  for (let rows = batchRows; rows === batchRows; destinations += rows) {
    rows = await database.system.transaction().execute(async (tx) => {
      const plain = await lockPlainDestinations(tx, batchRows)
      const encrypted = plain.map((row) => ({
        ...row,
        encrypted: encryptMetadata(keyring, row, openMetadata(keyring, row)),
      }))
      await replacePlainMetadata(tx, encrypted)
      return plain.length
    })
  }
  if (destinations > 0) log.info({ destinations }, 'encrypted URLs and headers of destinations')
}
