import { hash } from 'node:crypto'
import { scalarText } from './path.ts'

/**
 * How a value is written inside a text that the provider reads as an expression. A closed list: each writes any value
 * so that it stays one value there. What a language cannot hold is refused with a RangeError, never cut.
 */
export const filterNames = [
  'lower',
  'snake',
  'singular',
  'underscored',
  'constant',
  'basename',
  'path',
  'pointer',
  'digits',
  'seconds',
  'name',
  'json',
  'soql',
  'odata',
  'coql',
  'quoted',
  'identifier',
  'backquoted',
  'encodedQuery',
  'listed',
] as const

export type Filter = (typeof filterNames)[number]

/**
 * The value as text; `undefined` for null, objects and what is absent.
 * @throws RangeError for a value that has no such form
 */
export const filters: Readonly<Record<Filter, (value: unknown) => string | undefined>> = {
  lower: (value) => scalarText(value)?.toLowerCase(),
  /** In small letters, words joined by `_`: how some providers make a name of a label. */
  snake: (value) => scalarText(value)?.toLowerCase().trim().replace(/\s+/g, '_'),
  /** One of many, by the common rules of English: how some providers name what their lists are called after. */
  singular: (value) => singular(scalarText(value)),
  /**
   * A field's name as some query languages write it, where records have it in camel case: `productType` is
   * `product_type`.
   */
  underscored: (value) =>
    fieldName(value)
      ?.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
      .toLowerCase(),
  /** A name as enumerations of GraphQL APIs write it: `orders/create` is `ORDERS_CREATE`. */
  constant: (value) =>
    scalarText(value)
      ?.replace(/[^A-Za-z0-9]+/g, '_')
      .toUpperCase(),
  /**
   * The last part of a URL or a path, if records are identified by one and requests take its end: of
   * `https://…/events/7` it is `7`.
   */
  basename: (value) =>
    scalarText(value)
      ?.split('/')
      .findLast((part) => part !== ''),
  /** A path of several segments, in the path of a request: its slashes stay. Elsewhere it changes nothing. */
  path: scalarText,
  /** A name in a JSON Pointer (RFC 6901). */
  pointer: (value) => scalarText(value)?.replaceAll('~', '~0').replaceAll('/', '~1'),
  /** A number made of a text, for ids of ours that a provider wants as numbers: two texts hardly ever make the same. */
  digits,
  /** A time without its milliseconds, for providers that refuse them. */
  seconds: (value) => scalarText(value)?.replace(/(?<=T\d{2}:\d{2}:\d{2})\.\d+/, ''),
  /** A field's name, bare: letters, digits, `_`, with dots between names. */
  name: fieldName,
  /** JSON (RFC 8259), as GraphQL, JQL and Stripe's search read it too. */
  json: (value) => (scalarText(value) === undefined ? undefined : JSON.stringify(value)),
  /** SOQL and the SQL of QuickBooks: texts in single quotes, escaped by backslashes. */
  soql: (value) => (typeof value === 'string' ? `'${plainText(value).replace(/[\\'"]/g, '\\$&')}'` : scalarText(value)),
  /** OData 4 and standard SQL: texts in single quotes, quotes doubled. */
  odata: (value) => (typeof value === 'string' ? `'${plainText(value).replaceAll("'", "''")}'` : scalarText(value)),
  /** COQL of Zoho CRM: all but numbers in single quotes, quotes doubled. What a backslash means is not known. */
  coql,
  /** Queries of Google Drive: texts in single quotes, where only `'` and `\\` are escaped, by a backslash. */
  quoted: (value) =>
    typeof value === 'string' ? `'${plainText(value).replace(/[\\']/g, '\\$&')}'` : scalarText(value),
  /** A name in standard SQL: in double quotes, which are doubled inside. An empty one is none. */
  identifier(value) {
    const name = named(value)
    return name === undefined ? undefined : `"${name.replaceAll('"', '""')}"`
  },
  /** A name in BigQuery: in backquotes, where backslashes begin escapes. An empty one is none. */
  backquoted(value) {
    const name = named(value)
    if (name !== undefined && /[\\`]/.test(name))
      throw new RangeError('A name cannot contain backquotes and backslashes.')
    return name === undefined ? undefined : `\`${name}\``
  },
  /** Encoded queries of ServiceNow: texts are bare, and `^` is doubled. */
  encodedQuery,
  /** Conditions of ChargeOver: texts are bare, and commas, which separate them, are escaped by a backslash. */
  listed,
}

/** 18 digits, the first of which is not 0: that many fit in 64 bits with a sign. */
function digits(value: unknown): string | undefined {
  const text = scalarText(value)
  if (text === undefined) return undefined
  const start = 10n ** 17n
  return String(start + (hash('sha256', text, 'buffer').readBigUInt64BE() % (9n * start)))
}

function named(value: unknown): string | undefined {
  const text = scalarText(value)
  return text === undefined || text === '' ? undefined : plainText(text)
}

function coql(value: unknown): string | undefined {
  const text = scalarText(value)
  if (text === undefined || typeof value === 'number') return text
  if (text.includes('\\')) throw new RangeError('A condition cannot contain a backslash.')
  return `'${plainText(text).replaceAll("'", "''")}'`
}

function listed(value: unknown): string | undefined {
  const text = scalarText(value)
  if (text?.includes('\\')) throw new RangeError('A condition cannot contain a backslash.')
  return text === undefined ? undefined : plainText(text).replaceAll(',', '\\,')
}

/** Texts that begin with `javascript:` are refused, since ServiceNow runs them as a script. */
function encodedQuery(value: unknown): string | undefined {
  const text = scalarText(value)
  if (text === undefined) return undefined
  if (/^\s*javascript:/i.test(text)) throw new RangeError('A query cannot contain a script.')
  return plainText(text).replaceAll('^', '^^')
}

/** The first ending that fits; a word with none of them is one already. */
const endings = [
  [/ies$/, 'y'],
  [/(ss|sh|ch|x|zz|(?<![ao])us)es$/, '$1'],
  [/([^sui])s$/, '$1'],
] as const

function singular(text: string | undefined): string | undefined {
  const [ending, one] = endings.find(([found]) => found.test(text ?? '')) ?? []
  return ending === undefined ? text : text?.replace(ending, one ?? '')
}

function fieldName(value: unknown): string | undefined {
  const text = scalarText(value)
  if (text !== undefined && !/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/.test(text)) {
    throw new RangeError(`"${text.slice(0, 100)}" is not a field name that the provider's query language accepts.`)
  }
  return text
}

function plainText(value: string): string {
  if (/\p{Cc}/u.test(value)) throw new RangeError('A query cannot contain a control character.')
  return value
}

export function isFilter(name: string): name is Filter {
  return filterNames.some((one) => one === name)
}
