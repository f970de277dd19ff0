import type { WatchSchema } from '@mortise/manifest'
import { type CutMessage, type DataMessageHeader, messageBytesMax } from '../../messaging/messages/index.ts'
import { countChanges } from './diff-fields.ts'
import type { FieldChanges } from './model.ts'

/** Returns the changes that the manifest watches, by kind. Kinds that it does not watch are left out. */
export function enabledChanges(changes: FieldChanges, { allObjects }: WatchSchema): Partial<FieldChanges> {
  return {
    ...(allObjects.fieldCreated && { createdFields: changes.createdFields }),
    ...(allObjects.fieldDeleted && { deletedFields: changes.deletedFields }),
    ...(allObjects.fieldChanged && { changedFields: changes.changedFields }),
  }
}

/**
 * Returns the message of one object (contract 5.2), or undefined when nothing changed. A change list that is too large
 * for one message is fetched by URL. Its JSON array then contains the result as its only item.
 */
export function watchMessage(header: DataMessageHeader, result: Partial<FieldChanges>): CutMessage | undefined {
  const numRecords = countChanges(result)
  if (numRecords === 0) return undefined
  const payload = Buffer.from(JSON.stringify({ ...header, resultInfo: { type: 'inline', numRecords }, result }))
  if (payload.length <= messageBytesMax) return { payload }
  return {
    // Each attempt fills in the URL.
    payload: Buffer.from(JSON.stringify({ ...header, resultInfo: { type: 'url', numRecords, downloadUrl: '' } })),
    result: Buffer.from(JSON.stringify([result])),
  }
}
