import type { WatchSchema } from '@mortise/manifest'
import { type CutMessage, type DataMessageHeader, messageBytesMax } from '../../messaging/messages/index.ts'
import { countChanges } from './diff-fields.ts'
import type { FieldChanges } from './model.ts'

/** The changes that the manifest wants told, by kind; a kind that it does not watch is not there. */
export function enabledChanges(changes: FieldChanges, { allObjects }: WatchSchema): Partial<FieldChanges> {
  return {
    ...(allObjects.fieldCreated && { createdFields: changes.createdFields }),
    ...(allObjects.fieldDeleted && { deletedFields: changes.deletedFields }),
    ...(allObjects.fieldChanged && { changedFields: changes.changedFields }),
  }
}

/**
 * The message of one object (contract 5.2); undefined when nothing changed. Changes that are too many for one message
 * are fetched by URL: then the array there has the result as its one item.
 */
export function watchMessage(header: DataMessageHeader, result: Partial<FieldChanges>): CutMessage | undefined {
  const numRecords = countChanges(result)
  if (numRecords === 0) return undefined
  const payload = Buffer.from(JSON.stringify({ ...header, resultInfo: { type: 'inline', numRecords }, result }))
  if (payload.length <= messageBytesMax) return { payload }
  return {
    // The URL is written in at each attempt.
    payload: Buffer.from(JSON.stringify({ ...header, resultInfo: { type: 'url', numRecords, downloadUrl: '' } })),
    result: Buffer.from(JSON.stringify([result])),
  }
}
