import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { FieldType, MessageObject, MessageOrigin, MessageSource } from '../kinds/index.ts'

/** A destination that has new dead letters. */
export interface NewDeadLetters {
  destinationId: string
  name: string
  /** All of them, as far as they are counted. */
  count: number
}

/** What destinations need of features that build on them. */
export interface DestinationHooks {
  /**
   * Notifies other features of a change. Each call runs in the caller's transaction: the change and what follows from
   * it commit together.
   */
  destinationChanged(
    tx: ProjectDb,
    change: { destinationId: string; name: string; kind: 'created' | 'updated' | 'deleted' | 'disabled' | 'enabled' },
  ): Promise<void>
  /** Notifies of destinations with new dead letters, once an hour at most, in the caller's transaction. */
  deadLettersAdded(tx: ProjectDb, added: readonly NewDeadLetters[]): Promise<void>
  /** Returns where messages to a destination come from, in their order. */
  originsOf(
    db: ProjectDb,
    destination: { id: string; name: string },
    sources: readonly MessageSource[],
  ): Promise<MessageOrigin[]>
  /** Returns what is known of the types of fields in messages of some objects, without a request to a provider. */
  fieldTypes(db: ProjectDb, objects: readonly MessageObject[]): Promise<FieldType[]>
}
