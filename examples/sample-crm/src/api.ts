import { ApiError, invalid } from './api-error.ts'
import type { Company } from './companies.ts'
import type { Contact } from './contact.ts'
import type { ContactBook } from './contact-book.ts'
import { parseContactPatch, parseDateTime, parseNewContact } from './contact-patch.ts'
import { decodeCursor, encodeCursor, type Order } from './cursor.ts'
import { changedField, companyFields, type Field, newField } from './fields.ts'

/** What the operations work on. */
export interface Workspace {
  readonly name: string
  readonly contacts: ContactBook
  readonly companies: readonly Company[]
  /** The fields of contacts; the workspace may add some. */
  readonly contactFields: Field[]
}

/** A request whose key was checked. `body` reads and parses it, so that operations without a body never do. */
export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  body(): Promise<unknown>
}

/** The answer to a request that succeeded. `records` counts those of a list's page. */
export interface ApiAnswer {
  /** 200 unless set. */
  readonly status?: number
  /** Without one nothing but the status is sent. */
  readonly body?: unknown
  readonly records?: number
}

const pageSizeDefault = 100
const pageSizeMax = 500

/**
 * Runs the operation that method and path name.
 * @throws ApiError for everything that failed
 */
export async function runOperation(workspace: Workspace, request: ApiRequest): Promise<ApiAnswer> {
  const [collection = '', name, ...rest] = request.path.slice(1).split('/')
  if (rest.length === 0) {
    if (name === undefined) {
      if (collection === 'me') return byMethod(request, { GET: () => ({ body: { workspace: workspace.name } }) })
      if (collection === 'contacts') return contactsOperation(workspace, request)
      if (collection === 'companies') return byMethod(request, { GET: () => listCompanies(workspace, request.query) })
    } else if (collection === 'contacts') {
      if (name === 'deleted') return byMethod(request, { GET: () => listDeletions(workspace, request.query) })
      return contactOperation(workspace, name, request)
    } else if (collection === 'schema') {
      if (name === 'contacts') return fieldsOperation(workspace, request)
      if (name === 'companies') return byMethod(request, { GET: () => ({ body: companyFields }) })
    }
  } else if (collection === 'schema' && name === 'contacts' && rest.length === 1) {
    return fieldOperation(workspace, rest[0] ?? '', request)
  }
  throw new ApiError(404, 'not_found', `there is nothing at ${request.path}`)
}

type Run = () => ApiAnswer | Promise<ApiAnswer>

function byMethod(request: ApiRequest, runs: Readonly<Record<string, Run>>): ApiAnswer | Promise<ApiAnswer> {
  const run = new Map(Object.entries(runs)).get(request.method)
  if (run) return run()
  const allow = Object.keys(runs).join(', ')
  throw new ApiError(405, 'method_not_allowed', `use ${allow}`, { headers: { allow } })
}

/** The fields of contacts, or one more. */
function fieldsOperation({ contactFields }: Workspace, request: ApiRequest) {
  return byMethod(request, {
    GET: () => ({ body: contactFields }),
    POST: async () => {
      const field = newField(await request.body(), contactFields)
      contactFields.push(field)
      return { body: field }
    },
  })
}

function fieldOperation({ contactFields }: Workspace, name: string, request: ApiRequest) {
  return byMethod(request, {
    PATCH: async () => {
      const at = contactFields.findIndex((field) => field.name === name)
      const field = contactFields[at]
      if (!field?.custom) throw new ApiError(404, 'not_found', `the workspace has added no field ${name}`)
      const changed = changedField(field, await request.body())
      contactFields[at] = changed
      return { body: changed }
    },
  })
}

/** A page of contacts, or one more contact. */
function contactsOperation(workspace: Workspace, request: ApiRequest) {
  const { contacts, contactFields } = workspace
  return byMethod(request, {
    GET: () => listContacts(workspace, request.query),
    POST: async () => {
      const contact = contacts.create(parseNewContact(await request.body(), contactFields))
      if (!contact) throw new ApiError(409, 'conflict', 'the workspace is full')
      return { status: 201, body: contact }
    },
  })
}

function contactOperation({ contacts, contactFields }: Workspace, id: string, request: ApiRequest) {
  const found = (contact: Contact | undefined): ApiAnswer => {
    if (!contact) throw noContact(id)
    return { body: contact }
  }
  return byMethod(request, {
    GET: () => found(contacts.find(id)),
    PATCH: async () => found(contacts.patch(id, parseContactPatch(await request.body(), contactFields))),
    DELETE: () => {
      if (!contacts.delete(id)) throw noContact(id)
      return { status: 204 }
    },
  })
}

function noContact(id: string): ApiError {
  return new ApiError(404, 'not_found', `there is no contact ${id}`)
}

function listContacts({ contacts, contactFields }: Workspace, query: URLSearchParams): ApiAnswer {
  const limit = integer(query, 'limit', pageSizeDefault, 1, pageSizeMax)
  const wanted = contactFields.flatMap((field) => {
    const value = single(query, field.name)
    return value === undefined ? [] : [{ field, value }]
  })
  if (wanted.length > 0) {
    const data = firstContacts(contacts, limit, (contact) =>
      wanted.every(({ field, value }) => String(fieldValue(contact, field)) === value),
    )
    return { body: { data, next_cursor: null }, records: data.length }
  }
  const since = time(query, 'updated_since')
  const before = time(query, 'updated_before')
  const cursor = single(query, 'cursor')
  const order: Order = since === undefined && before === undefined ? 'id' : 'updated'
  const after = cursor === undefined ? undefined : decodeCursor(order, cursor)
  const window = { since: since ?? 0, before: before ?? Number.POSITIVE_INFINITY }

  const page =
    order === 'id' ? contacts.pageById(after?.index ?? -1, limit) : contacts.pageByUpdated(window, after, limit)
  return {
    body: {
      data: page.contacts,
      next_cursor: page.more && page.last ? encodeCursor(order, page.last) : null,
      total: order === 'id' ? contacts.size : contacts.countUpdated(window),
    },
    records: page.contacts.length,
  }
}

/** Deleted contacts, in the order of their deletions. The cursor is the place of the next one. */
function listDeletions({ contacts }: Workspace, query: URLSearchParams): ApiAnswer {
  const limit = integer(query, 'limit', pageSizeDefault, 1, pageSizeMax)
  const from = integer(query, 'cursor', 0, 0, 100_000_000)
  const since = time(query, 'deleted_since') ?? 0
  const before = time(query, 'deleted_before') ?? Number.POSITIVE_INFINITY
  const { deletions, next } = contacts.deletions({ since, before }, from, limit)
  const next_cursor = next === undefined ? null : String(next)
  return { body: { data: deletions, next_cursor }, records: deletions.length }
}

/** The first contacts that fit, in the order of ids. */
function firstContacts(contacts: ContactBook, limit: number, fits: (contact: Contact) => boolean): Contact[] {
  const found: Contact[] = []
  for (let after = -1, more = true; more && found.length < limit; ) {
    const page = contacts.pageById(after, pageSizeMax)
    found.push(...page.contacts.filter(fits))
    after = page.last?.index ?? after
    more = page.more
  }
  return found.slice(0, limit)
}

function fieldValue(contact: Contact, { name, custom }: Field): unknown {
  const values: object = custom ? contact.custom_fields : contact
  return (values as Record<string, unknown>)[name]
}

function listCompanies({ companies }: Workspace, query: URLSearchParams): ApiAnswer {
  const limit = integer(query, 'limit', pageSizeDefault, 1, pageSizeMax)
  const offset = integer(query, 'offset', 0, 0, 1_000_000)
  const data = companies.slice(offset, offset + limit)
  return { body: { data, offset, limit, total: companies.length }, records: data.length }
}

function single(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name)
  if (values.length > 1) throw invalid(name, 'one value')
  return values[0]
}

function integer(query: URLSearchParams, name: string, fallback: number, least: number, most: number): number {
  const text = single(query, name)
  if (text === undefined) return fallback
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= least && value <= most)) throw invalid(name, `a whole number from ${least} to ${most}`)
  return value
}

function time(query: URLSearchParams, name: string): number | undefined {
  const text = single(query, name)
  if (text === undefined) return undefined
  const value = parseDateTime(text)
  if (value === undefined) throw invalid(name, 'an RFC 3339 date-time such as 2026-01-31T12:00:00Z')
  return value
}
