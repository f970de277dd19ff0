import type { Item } from '@mortise/client'

export type StoredRecord = Item<'listRecords'>

/** The key of a record: no two installations share one. */
export function keyOfRecord({ installationId, workspace = '', id }: StoredRecord): string {
  return `${installationId}/${workspace}/${id}`
}

const fieldsMax = 6
const charactersMax = 60

/** The first fields of a record in one line. */
export function summaryOf({ mappedFields, fields }: StoredRecord): string {
  return Object.entries({ ...mappedFields, ...fields })
    .slice(0, fieldsMax)
    .map(([name, value]) => `${name}: ${shortText(value)}`)
    .join(', ')
}

function shortText(value: unknown): string {
  const text = (typeof value === 'string' ? value : JSON.stringify(value)) ?? ''
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text
}
