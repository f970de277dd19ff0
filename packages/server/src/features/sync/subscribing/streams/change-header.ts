import type { AvroRecord, AvroType } from './avro-schema.ts'

/**
 * Change events of Salesforce list fields as bitmaps: `0x05` for the first and the third field of the event, and
 * `2-0x01` for the first field inside of its third one.
 */
const bitmap = /^(?:(\d{1,5})-)?0x([0-9A-Fa-f]*)$/

/** Lists of fields in the header of a change event. */
const lists = ['changedFields', 'nulledFields', 'diffFields'] as const
const headerName = 'ChangeEventHeader'

type Json = Record<string, unknown>

/** Replaces the bitmaps in the header of a change event with names, by the order of the fields in the schema. */
export function expandBitmaps(event: Json, type: AvroRecord): Json {
  const header = event[headerName]
  if (!isObject(header)) return event
  const named = lists.flatMap((list) => {
    const listed = header[list]
    return Array.isArray(listed) ? [[list, listed.flatMap((entry) => namesOf(entry, type))] as const] : []
  })
  return { ...event, [headerName]: { ...header, ...Object.fromEntries(named) } }
}

/** Removes fields that are null because they did not change. */
export function withoutUnchanged(event: Json): Json {
  const header = event[headerName]
  if (!isObject(header)) return event
  const changed = new Set(lists.flatMap((list) => (Array.isArray(header[list]) ? (header[list] as unknown[]) : [])))
  return Object.fromEntries(Object.entries(event).filter(([name, value]) => value !== null || changed.has(name)))
}

function namesOf(entry: unknown, type: AvroRecord): string[] {
  if (typeof entry !== 'string') return []
  const [, outer, digits = ''] = bitmap.exec(entry) ?? []
  // A name already, or something that is not known.
  if (!bitmap.test(entry)) return [entry]
  if (outer === undefined) return setBits(digits).flatMap((at) => type.fields[at]?.name ?? [])
  const parent = type.fields[Number(outer)]
  const inner = parent && recordIn(parent.type)
  if (!parent || !inner) return []
  const parts = setBits(digits).flatMap((at) => inner.fields[at]?.name ?? [])
  return [parent.name, ...parts.map((part) => partName(parent.name, part))]
}

/**
 * Returns the name that the API has for a part of a compound field: `FirstName` of `Name`, `BillingCity` of
 * `BillingAddress`, `Office__City__s` of `Office__c`.
 */
function partName(parent: string, part: string): string {
  if (parent === 'Name') return part
  if (parent.endsWith('__c')) return `${parent.slice(0, -'__c'.length)}__${part}__s`
  return parent.endsWith('Address') ? `${parent.slice(0, -'Address'.length)}${part}` : part
}

/** Returns the positions of the bits that are set. The last digit has the first field. */
function setBits(digits: string): number[] {
  return [...digits].reverse().flatMap((digit, at) => {
    const value = Number.parseInt(digit, 16)
    return [0, 1, 2, 3].filter((bit) => value & (1 << bit)).map((bit) => at * 4 + bit)
  })
}

function recordIn(type: AvroType): AvroRecord | undefined {
  if (type.kind === 'union') return type.types.find((one) => one.kind === 'record')
  return type.kind === 'record' ? type : undefined
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
