import type { ProviderRecord } from '@mortise/providers'
import { recordValues } from '../../sync/reading/index.ts'
import { valueAt } from '../../sync/writing/index.ts'
import { pathOf } from './field-rules.ts'
import { argumentName, type ToolField, type ToolObject } from './tool-fields.ts'

export type ShownRecord = Record<string, unknown>

/** Returns the function that converts a record to what agents see of it: their names, and no hidden field. */
export function recordShower(
  { read, rules }: Pick<ToolObject, 'read' | 'rules'>,
  fields: readonly ToolField[],
): (record: ProviderRecord) => ShownRecord {
  const selection = read ?? { fields: [], mappings: [], valueMappings: {} }
  const valuesOf = recordValues(selection)
  const shownFields = fields.filter(({ isRead }) => isRead)
  const known = new Set(shownFields.map(({ source }) => source.toLowerCase()))
  return (record) => {
    const entry = valuesOf(record)
    const shown: [string, unknown][] = []
    for (const { name, source, path, to } of shownFields) {
      const value =
        to === undefined ? valueAt(entry.fields, [source.toLowerCase()]) : valueAt(entry.mappedFields, pathOf(to))
      const kept = rules.shown(value, path)
      if (kept !== undefined) shown.push([name, kept])
    }
    if (selection.fields === 'all')
      for (const [key, value] of Object.entries(entry.fields)) {
        const kept = known.has(key) ? undefined : rules.shown(value, pathOf(key))
        if (kept !== undefined) shown.push([argumentName(key), kept])
      }
    if (record.id !== undefined) shown.push(['id', record.id])
    return Object.fromEntries(shown)
  }
}

/** How long texts and lists stay, tried in this order. */
const cuts = [
  { text: 8_000, items: 8_000 },
  { text: 2_000, items: 2_000 },
  { text: 500, items: 500 },
  { text: 100, items: 100 },
  { text: 100, items: 20 },
  { text: 100, items: 5 },
] as const

/** Returns a record that is too large for a result with shorter texts; at last, only with its id. */
export function shortened(record: ShownRecord, bytesMax: number): ShownRecord {
  for (const to of cuts) {
    const cut = withShorterTexts(record, to) as ShownRecord
    if (sizeOf(cut) <= bytesMax) return { ...cut, isShortened: true }
  }
  return { id: record['id'], isShortened: true }
}

/** Returns a value as it is if it fits, or else with shorter texts and lists; null if it still does not fit. */
export function shortenedValue(value: unknown, bytesMax: number): unknown {
  if (sizeOf(value) <= bytesMax) return value
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return shortened(value as ShownRecord, bytesMax)
  return cuts.map((to) => withShorterTexts(value, to)).find((cut) => sizeOf(cut) <= bytesMax) ?? null
}

/** The nesting of values is limited before. */
function withShorterTexts(value: unknown, to: { text: number; items: number }): unknown {
  if (typeof value === 'string')
    return value.length > to.text ? `${value.slice(0, to.text).toWellFormed()}… (shortened)` : value
  if (Array.isArray(value)) return value.slice(0, to.items).map((item) => withShorterTexts(item, to))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withShorterTexts(inner, to)]))
}

export function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
