import { signatureFields } from '../envelope.ts'
import type { OutgoingMessage, SenderServices } from '../kind.ts'
import { createTimeOf } from '../message-time.ts'
import type { RecordMessage } from '../record-messages.ts'
import type { KeyedMessage } from '../send-records.ts'
import type { KafkaRecord } from './record-batch.ts'
import type { KafkaSettings } from './settings.ts'

/** Returns what a topic gets of a message: one record, and after a deletion one without a value, if it is wanted. */
export function kafkaRecordsOf(
  { message, value, key: text }: KeyedMessage & { value: Buffer },
  { tombstones }: Pick<KafkaSettings, 'tombstones'>,
  { keys, project }: Pick<SenderServices, 'keys' | 'project'>,
  time: Date,
): KafkaRecord[] {
  const { kind, eventType } = message
  const key = Buffer.from(text)
  const recordOf = (id: string, content: Buffer | null): KafkaRecord => ({
    key,
    value: content,
    headers: {
      ...{ id, kind, ...(eventType !== undefined && { eventType }), project },
      ...signatureFields(keys, { id, body: content ?? Buffer.alloc(0) }, time),
    },
    time: createTimeOf(message),
  })
  const record = recordOf(message.id, value)
  if (tombstones !== true || !isDeletion(message)) return [record]
  return [record, recordOf(`${message.id}:tombstone`, null)]
}

/** Without the key of a record, there is nothing to drop. */
function isDeletion(message: OutgoingMessage | RecordMessage): boolean {
  return 'recordKey' in message && message.recordKey !== undefined && message.isDeletion
}
