import type { WebhookMessage } from '@mortise/client'

/** What Harbor stores of a contact: the names are those of the manifest, whatever the customer's CRM calls them. */
export interface Contact {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly phone: string
  readonly city: string
  readonly lifecycle: string
}

/** A message that arrived, without its records. */
export interface Received {
  readonly id: string
  readonly time: string
  readonly groupRef: string
  readonly what: string
  readonly records: number
  readonly example: unknown
}

export interface CustomerData {
  readonly contactCount: number
  /** The newest first. */
  readonly contacts: readonly Contact[]
  readonly messages: readonly Received[]
}

/** Stores what arrives, in memory. A real product has its own database here. */
export interface RecordBook {
  /** Stores a message once, whatever number of times it arrives. Answers the customer whom it concerns. */
  add(id: string, message: WebhookMessage, records: readonly unknown[]): string | undefined
  of(groupRef: string): CustomerData
}

const shownContacts = 50
const shownMessages = 100

export function createRecordBook(): RecordBook {
  const seen = new Set<string>()
  const books = new Map<string, { contacts: Map<string, Contact>; messages: Received[] }>()
  const bookOf = (groupRef: string) => {
    const book = books.get(groupRef) ?? { contacts: new Map<string, Contact>(), messages: [] as Received[] }
    books.set(groupRef, book)
    return book
  }

  return {
    add(id, message, records) {
      // Messages may arrive more than once: their id says so.
      if (seen.has(id)) return undefined
      seen.add(id)
      const { groupRef, objectName } = described(message)
      if (groupRef === undefined) return undefined
      const { contacts, messages } = bookOf(groupRef)
      for (const record of objectName === 'contacts' ? records : []) {
        const contact = contactOf(record)
        // Set again, so that what arrived last is the last of the map.
        contacts.delete(contact.id)
        contacts.set(contact.id, contact)
      }
      const what = 'action' in message ? `${message.action} ${objectName}` : message.notificationType
      messages.unshift({
        id,
        time: new Date().toISOString(),
        groupRef,
        what,
        records: records.length,
        example: records[0] ?? message,
      })
      messages.length = Math.min(messages.length, shownMessages)
      return groupRef
    },
    of(groupRef) {
      const { contacts, messages } = bookOf(groupRef)
      const newest = [...contacts.values()].slice(-shownContacts).toReversed()
      return { contactCount: contacts.size, contacts: newest, messages }
    },
  }
}

function described(message: WebhookMessage): { groupRef: string | undefined; objectName: string } {
  const fields: Record<string, unknown> = 'action' in message ? message : message.data
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : undefined)
  return { groupRef: text('groupRef'), objectName: text('rawObjectName') ?? text('objectName') ?? '' }
}

/** @param record `{fields, mappedFields, raw}` of a message */
function contactOf(record: unknown): Contact {
  const part = (name: string) => member(record, name)
  const fields = part('fields')
  const mapped = part('mappedFields')
  const raw = part('raw')
  const text = (from: unknown, name: string) => String(member(from, name) ?? '')
  return {
    id: text(raw, 'id'),
    name: [text(fields, 'first_name') || text(raw, 'first_name'), text(fields, 'last_name') || text(raw, 'last_name')]
      .join(' ')
      .trim(),
    email: text(fields, 'email'),
    phone: text(mapped, 'phoneNumber') || text(fields, 'phoneNumber'),
    city: text(mapped, 'city') || text(fields, 'city'),
    lifecycle: text(mapped, 'lifecycle'),
  }
}

function member(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[name] : undefined
}
