import { setImmediate } from 'node:timers/promises'
import { failureOf } from '../../failure-of.ts'
import type { OutgoingMessage, SenderServices, SendOptions, SendResult } from '../../kind.ts'
import type { AvroSettings, KafkaSettings } from '../settings.ts'
import { encodeDataMessage, encodeMessage } from './encode-message.ts'
import { recordName } from './object-schema.ts'
import { type DataMessage, readDataMessage } from './read-message.ts'
import { RegistryRefusal } from './schema-registry.ts'
import { Schemas } from './schemas.ts'

/**
 * Encodes messages in Avro. Returns the value of each, or why it has none. An object whose schema the registry refuses
 * does not concern the others. A registry that does not answer gets no further request.
 */
export async function avroValues(
  settings: KafkaSettings & AvroSettings,
  services: SenderServices,
  { batch, options }: { batch: readonly OutgoingMessage[]; options: SendOptions },
): Promise<Map<OutgoingMessage, Buffer | SendResult>> {
  const schemas = new Schemas(settings, services, options)
  const values = new Map<OutgoingMessage, Buffer | SendResult>()
  const read: { message: OutgoingMessage; data: DataMessage | undefined }[] = []
  for (const message of batch) {
    await othersTurn()
    read.push({ message, data: readDataMessage(message) })
  }
  const groups = Map.groupBy(read, ({ data }) => data && recordName(data.object))
  let unreachable: SendResult | undefined
  for (const group of groups.values()) {
    const encode = unreachable ? undefined : await encoderOf(schemas, group).catch(refusalOf)
    if (typeof encode === 'object' && encode.isUnreachable) unreachable = encode.result
    for (const { message, data } of group) {
      await othersTurn()
      values.set(
        message,
        typeof encode === 'function' ? encode(message, data) : (encode?.result ?? unreachable ?? { outcome: 'retry' }),
      )
    }
  }
  return values
}

/** A large message takes milliseconds, so the process does other work between two. */
const othersTurn = () => setImmediate()

type Encode = (message: OutgoingMessage, data: DataMessage | undefined) => Buffer

async function encoderOf(schemas: Schemas, group: readonly { data: DataMessage | undefined }[]): Promise<Encode> {
  const data = group.flatMap((one) => one.data ?? [])
  const [first] = data
  if (first === undefined) {
    const { id } = await schemas.forMessages()
    return (message) => encodeMessage(message, id)
  }
  const { schema, id } = await schemas.forObject(first.object, data)
  return (message, of) => (of === undefined ? encodeMessage(message, id) : encodeDataMessage(of, schema, id))
}

function refusalOf(error: unknown): { result: SendResult; isUnreachable: boolean } {
  if (error instanceof RegistryRefusal) {
    const { status = 0 } = error.result
    return { result: error.result, isUnreachable: status === 401 || status === 429 || status >= 500 }
  }
  return { result: failureOf(error), isUnreachable: true }
}
