import type { EventDeclaration } from '../packages/server/src/features/messaging/notifications/index.ts'

/** The pages `docs/events/{event}.md`, by file name: every type of event. */
export function eventPages(events: readonly EventDeclaration[]): Map<string, string> {
  return new Map(events.map((event) => [`${event.name}.md`, eventPage(event)]))
}

interface Field {
  type?: string
  format?: string
  items?: { type?: string }
  description?: string
  deprecated?: boolean
}

function eventPage({ name, when, sent, extension, data, example }: EventDeclaration): string {
  const { properties, required = [] } = data as unknown as { properties: Record<string, Field>; required?: string[] }
  const rows = Object.entries(properties).map(([field, schema]) =>
    row([`\`${field}\``, typeOf(schema), required.includes(field) ? 'yes' : 'no', schema.description ?? '']),
  )
  return [
    `# ${name}`,
    '',
    when,
    '',
    ...(sent ? [] : ['**Not sent by this release yet.** A route can be made for it already.', '']),
    ...(extension ? ['An extension of the interface.', ''] : []),
    'To route notifications and receive them, see [Notifications](../notifications.md).',
    '',
    '## `data`',
    '',
    row(['Field', 'Type', 'Always', 'Meaning']),
    '|---|---|---|---|',
    ...rows,
    '',
    ...either(properties),
    '## Example',
    '',
    '```json',
    JSON.stringify(example, undefined, 2),
    '```',
    '',
    '## Schema of `data`',
    '',
    '```json',
    JSON.stringify(data, undefined, 2),
    '```',
    '',
  ].join('\n')
}

function typeOf({ type, format, items }: Field): string {
  if (type === 'array') return `array of ${items?.type ?? 'values'}`
  return format === undefined ? (type ?? 'any') : `${type}, ${format}`
}

function either(properties: Record<string, Field>): string[] {
  const pairs = ['config', 'lastConfig'].filter((field) => field in properties)
  if (pairs.length === 0) return []
  return [...pairs.map((field) => `Exactly one of \`${field}\` and \`${field}URL\` is present.`), '']
}

function row(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
}
