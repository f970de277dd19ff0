import type { Destination } from './destination-kinds.ts'
import type { KindField } from './shared-fields.ts'

const mask = '***'

/** What the form has in its fields: texts, by the names of settings. */
export type FieldValues = Record<string, string>

/** Returns the text of each field for the settings of a destination. Secrets are not shown, so theirs are empty. */
export function textsOf(fields: readonly KindField[], metadata: Destination['metadata'] | undefined): FieldValues {
  const settings = metadata as Record<string, unknown> | undefined
  return Object.fromEntries(fields.map(({ name, input }) => [name, textOf(settings?.[name], input)]))
}

function textOf(value: unknown, input: KindField['input']): string {
  if (value === undefined || value === null) return ''
  return input === 'headers' ? linesOf(value as Record<string, string>) : String(value)
}

/** "X-Team: growth", a line for each header. */
export function linesOf(headers: Record<string, string> = {}): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

/** The headers of such lines, and the first line that is none. */
export function headersOf(text: string): { headers: Record<string, string>; wrong?: string } {
  const headers: Record<string, string> = {}
  for (const line of text.split('\n').filter((line) => line.trim() !== '')) {
    const colon = line.indexOf(':')
    if (colon < 1) return { headers, wrong: line }
    headers[line.slice(0, colon).trim()] = line.slice(colon + 1).trim()
  }
  return { headers }
}

/** Returns what a request contains for the fields, without those that are empty. */
export function settingsOf(
  fields: readonly KindField[],
  values: FieldValues,
): { metadata: Record<string, unknown>; secrets: Record<string, unknown> } {
  const given = (isSecret: boolean) =>
    Object.fromEntries(
      fields
        .filter((field) => (isSecret ? field.isSecret : !field.isSecret) && values[field.name])
        .map(({ name, input }) => [name, settingFrom(values[name] ?? '', input)]),
    )
  return { metadata: given(false), secrets: given(true) }
}

function settingFrom(text: string, input: KindField['input']): unknown {
  if (input === 'headers') return headersOf(text).headers
  if (input === 'boolean') return text === 'true'
  return input === 'number' ? Number(text) : text
}

/**
 * Returns the paths of an update mask for the fields that differ from the destination. An empty secret is kept, because
 * the form cannot show it. Any other field that was emptied is removed.
 */
export function changedPaths(
  fields: readonly KindField[],
  values: FieldValues,
  { metadata }: Pick<Destination, 'metadata'>,
): string[] {
  const before = textsOf(fields, metadata)
  const isChanged = ({ name }: KindField) => values[name] !== before[name]
  const movesUrl = fields.some((field) => field.name === 'url' && isChanged(field))
  // With them, the service says if the masked headers would get another receiver.
  const isMasked = ({ name, input }: KindField) => input === 'headers' && values[name]?.includes(mask)
  return fields
    .filter((field) => isChanged(field) || (movesUrl && isMasked(field)))
    .map(({ name, isSecret }) => `${isSecret ? 'secrets' : 'metadata'}.${name}`)
}
