import { LRUCache } from 'lru-cache'
import type { Outbound } from '../../../../../kernel/net/index.ts'
import type { MessageObject, SenderServices, SendOptions } from '../../kind.ts'
import { missingColumns, type StoredType, storedTypeOf } from '../../tables/columns.ts'
import type { AvroSettings, KafkaSettings } from '../settings.ts'
import { avroName } from './names.ts'
import {
  type FieldType,
  fieldsMax,
  isSameSchema,
  messageRecord,
  messageSchema,
  newField,
  type ObjectSchema,
  objectSchema,
  recordName,
  registeredFields,
  type SchemaField,
  type SchemaObject,
} from './object-schema.ts'
import type { DataMessage } from './read-message.ts'
import { RegistryRefusal, SchemaRegistry, subjectKey } from './schema-registry.ts'

/** A schema with the id that the registry gave it. */
interface Registered {
  schema: ObjectSchema
  id: number
  /** When the registry said so. */
  time: number
}

/** Schemas by registry and subject, for as long as the client that fetched them exists. */
const known = new WeakMap<Outbound, LRUCache<string, Registered>>()
const knownMax = 2_000
/** After this time, Mortise requests the schema again: somebody may have deleted the subject. */
const keptMs = 3_600_000
/** Objects whose types are looked up for new fields: those of some installations speak for the others. */
const objectsMax = 20

/** The schemas of messages, which are registered when they are first needed. One for each `send`. */
export class Schemas {
  readonly #settings: KafkaSettings & AvroSettings
  readonly #services: SenderServices
  readonly #registry: SchemaRegistry
  readonly #now: number
  readonly #cache: LRUCache<string, Registered>

  constructor(settings: KafkaSettings & AvroSettings, services: SenderServices, options: SendOptions) {
    this.#settings = settings
    this.#services = services
    this.#registry = new SchemaRegistry(settings, services, options)
    this.#now = options.time.getTime()
    this.#cache = known.get(services.outbound) ?? new LRUCache({ max: knownMax })
    known.set(services.outbound, this.#cache)
  }

  /** Returns the schema of messages without records. @throws RegistryRefusal, OutboundError */
  async forMessages(): Promise<{ id: number }> {
    const subject = this.#subject(messageRecord)
    const found = this.#cached(subject)
    return found ?? this.#register(subject, { fields: new Map(), text: messageSchema })
  }

  /**
   * Returns a schema that has the fields of messages of one object. A schema only grows: a field keeps its type, and a
   * new one is nullable. Registered fields that the messages do not have stay.
   *
   * @throws RegistryRefusal, OutboundError
   */
  async forObject(object: SchemaObject, messages: readonly DataMessage[]): Promise<Registered> {
    const subject = this.#subject(recordName(object))
    const cached = this.#cached(subject)
    if (cached && !hasNewFields(cached.schema, messages)) return cached
    const latest = await this.#registry.latest(subject)
    const fields = latest === undefined ? new Map<string, SchemaField>() : registeredFields(object, latest.schema)
    if (fields === undefined) throw new RegistryRefusal({ outcome: 'retry', error: foreign(subject) })
    for (const field of await this.#newFields(fields, messages)) fields.set(field.name, field)
    const schema = objectSchema(object, fields)
    if (latest === undefined || !isSameSchema(latest.schema, schema.text)) return this.#register(subject, schema)
    return this.#keep(subject, { schema, id: latest.id, time: this.#now })
  }

  async #newFields(fields: ReadonlyMap<string, SchemaField>, messages: readonly DataMessage[]): Promise<SchemaField[]> {
    const originals = new Map<string, string>()
    const rows = messages.flatMap(({ entries }) =>
      entries.map(({ values }) => {
        const added = [...values].filter(([name]) => !fields.has(name))
        for (const [name, { original }] of added) originals.set(name, original)
        return Object.fromEntries(added.map(([name, { value }]) => [name, value]))
      }),
    )
    if (originals.size === 0) return []
    const hasRoom = (needed: ReadonlyMap<string, StoredType>) => fields.size + needed.size < fieldsMax
    const missing = missingColumns(new Map(), rows, await this.#declaredTypes(messages), hasRoom)
    return [...missing].map(([name, type]) => newField(name, fieldType(type), originals.get(name) ?? name))
  }

  /** What providers say of fields. Of two that disagree, the first counts. */
  async #declaredTypes(messages: readonly DataMessage[]): Promise<Map<string, StoredType>> {
    const objects = new Map<string, MessageObject>()
    for (const { installation, rawObject: object } of messages)
      if (installation !== '') objects.set(`${installation} ${object}`, { installation, object })
    const found = await this.#services.fieldTypes([...objects.values()].slice(0, objectsMax))
    const declared = new Map<string, StoredType>()
    for (const { field, valueType } of found) {
      const [name, type] = [avroName(field), storedTypeOf(valueType)]
      if (type !== undefined && !declared.has(name)) declared.set(name, type)
    }
    return declared
  }

  async #register(subject: string, schema: ObjectSchema): Promise<Registered> {
    const id = await this.#registry.register(subject, schema.text)
    return this.#keep(subject, { schema, id, time: this.#now })
  }

  #keep(subject: string, registered: Registered): Registered {
    this.#cache.set(this.#key(subject), registered)
    return registered
  }

  #cached(subject: string): Registered | undefined {
    const found = this.#cache.get(this.#key(subject))
    return found && this.#now - found.time < keptMs ? found : undefined
  }

  #key(subject: string): string {
    return subjectKey(this.#services.project, this.#settings, subject)
  }

  /** Named as serializers of Confluent name it. */
  #subject(record: string): string {
    return this.#settings.subjectNameStrategy === 'record' ? record : `${this.#settings.topic}-${record}`
  }
}

/** Whether a schema lacks a field that has a value. One that is full gets no more. */
function hasNewFields({ fields }: ObjectSchema, messages: readonly DataMessage[]): boolean {
  if (fields.size >= fieldsMax) return false
  return messages.some(({ entries }) =>
    entries.some(({ values }) => [...values].some(([name, { value }]) => value !== null && !fields.has(name))),
  )
}

function fieldType(type: StoredType): Exclude<FieldType, 'unknown'> {
  return type === 'text' || type === 'json' ? 'string' : type
}

function foreign(subject: string): string {
  return `The schema registry has a schema for ${subject} that Mortise cannot continue. Delete the subject, or choose another topic or subjectNameStrategy.`
}
