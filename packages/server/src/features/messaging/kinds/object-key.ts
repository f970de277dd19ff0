import type { MessageOrigin, MessageSource, OutgoingMessage } from './kind.ts'
import { createTimeOf } from './message-time.ts'
import { fillTemplate, type Template } from './template.ts'

const keyBytesMax = 1_024

/** A message, and what is known of it. */
export interface KnownMessage {
  message: Pick<OutgoingMessage, 'id' | 'eventType'>
  /** Its content. */
  data: Record<string, unknown> | undefined
  origin: MessageOrigin | undefined
}

/** What says where a message comes from. */
export function sourceOf({ message, data }: Omit<KnownMessage, 'origin'>): MessageSource {
  const id = data?.['installationId']
  return { installationId: typeof id === 'string' ? id : undefined, eventType: message.eventType }
}

/** What is stored with an object, and what templates call `metadata`. */
export function objectMetadata(
  { message, data, origin }: KnownMessage,
  { project, destination }: { project: string; destination: string },
): Record<string, string> {
  const text = (name: string) => (typeof data?.[name] === 'string' ? { [name]: data[name] } : {})
  return {
    projectId: project,
    destinationId: destination,
    ...text('installationId'),
    ...(origin?.connectionId !== undefined && { connectionId: origin.connectionId }),
    // A notification says which connection it had.
    ...text('connectionId'),
    ...text('operationId'),
    ...text('objectName'),
    ...(message.eventType !== undefined && { notificationType: message.eventType }),
    ...(origin?.topic !== undefined && { topic: origin.topic }),
    'event-id': message.id,
    timestamp: createTimeOf(message).toISOString(),
  }
}

/** Returns the key of the object for a message: the same each time that it is sent. */
export function objectKey(
  template: Template | undefined,
  known: KnownMessage,
  ids: { project: string; destination: string },
): string {
  const time = createTimeOf(known.message)
  const fallback = `${rfc3339Nano(time)}_${known.message.id}.json`
  return (template && keyFromTemplate(template, known, ids)) ?? fallback
}

/** Makes a key, or the folder of keys, by a template. Undefined if it makes no usable text. */
export function keyFromTemplate(
  template: Template,
  known: KnownMessage,
  ids: { project: string; destination: string },
): string | undefined {
  const made = fillTemplate(template, {
    metadata: objectMetadata(known, ids),
    time: timeNames(createTimeOf(known.message)),
    data: known.data ?? null,
  })
  const key = made && withoutDotSegments(made)
  return key === undefined || key === '' || Buffer.byteLength(key) > keyBytesMax ? undefined : key
}

/** URLs lose segments of dots, which would put an object elsewhere. */
function withoutDotSegments(key: string): string {
  return key
    .replace(/^\/+/, '')
    .toWellFormed()
    .split('/')
    .map((segment) => (/^\.{1,2}$/.test(segment) ? segment.replaceAll('.', '_') : segment))
    .join('/')
}

const rfc3339Nano = (time: Date) => time.toISOString().replace('Z', '000000Z')

/** The time of a message, in UTC, for templates. */
function timeNames(time: Date): Record<string, string> {
  const text = time.toISOString()
  const [date = '', clock = ''] = text.slice(0, 19).split('T')
  const [year = '', month = '', day = ''] = date.split('-')
  const [hour = '', minute = '', second = ''] = clock.split(':')
  return {
    ...{ year, month, day, hour, minute, second, date },
    datetime: `${date}T${clock}`,
    unix: String(Math.floor(time.getTime() / 1_000)),
    rfc3339: `${date}T${clock}Z`,
    rfc3339_nano: rfc3339Nano(time),
  }
}
