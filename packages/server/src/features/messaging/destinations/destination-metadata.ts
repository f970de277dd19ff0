import { createEnvelope, type Keyring } from '../../../kernel/encryption/index.ts'
import type { Services } from '../../../services.ts'
import type { WebhookMetadata } from './model.ts'
import { type DestinationRow, findDestinationById, lockPlainDestinations, replacePlainMetadata } from './store.ts'

type Ref = Pick<DestinationRow, 'project_id' | 'id'>

function sealedAt({ project_id: project, id: row }: Ref) {
  return { table: 'destinations', project, row, column: 'sealed_metadata' }
}

export function sealMetadata(keyring: Keyring, destination: Ref, metadata: WebhookMetadata): string {
  return createEnvelope(keyring).seal(JSON.stringify(metadata), sealedAt(destination))
}

/**
 * Returns the whole metadata of a destination. Plain metadata wins: a node of an earlier release may have written it
 * after they were sealed.
 *
 * @throws UnknownSealKey, SealBroken
 */
export function openMetadata(
  keyring: Keyring,
  row: Ref & Pick<DestinationRow, 'metadata' | 'sealed_metadata'>,
): WebhookMetadata {
  const { url, headers } = row.metadata
  if (url !== undefined) return { url, ...(headers && { headers }) }
  return JSON.parse(
    createEnvelope(keyring)
      .open(row.sealed_metadata ?? '', sealedAt(row))
      .toString(),
  )
}

/** Returns the whole metadata of a destination; undefined when it was deleted. */
export async function findMetadata(
  db: Parameters<typeof findDestinationById>[0],
  { keyring }: Pick<Services, 'keyring'>,
  id: string,
): Promise<WebhookMetadata | undefined> {
  const row = await findDestinationById(db, id)
  return row && openMetadata(keyring, row)
}

const batchRows = 500

/**
 * Seals the metadata that an earlier release stored in plain text. Every node does so before it answers; a node that is
 * stopped in the middle leaves rows that are readable as they were, for the next start.
 */
export async function sealStoredDestinations({
  database,
  keyring,
  log,
}: Pick<Services, 'database' | 'keyring' | 'log'>): Promise<void> {
  let destinations = 0
  for (let rows = batchRows; rows === batchRows; destinations += rows) {
    rows = await database.system.transaction().execute(async (tx) => {
      const plain = await lockPlainDestinations(tx, batchRows)
      const sealed = plain.map((row) => ({ ...row, sealed: sealMetadata(keyring, row, openMetadata(keyring, row)) }))
      await replacePlainMetadata(tx, sealed)
      return plain.length
    })
  }
  if (destinations > 0) log.info({ destinations }, 'encrypted URLs and headers of destinations')
}
