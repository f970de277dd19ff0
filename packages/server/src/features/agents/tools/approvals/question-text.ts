import type { InstallationRecord } from '../../../integrations/installations/index.ts'
import type { DeclaredTool } from '../declared-tools.ts'
import { safeText } from '../safe-text.ts'

/** A person does not read more. */
const valuesMax = 40
const valueMax = 300
const depthMax = 5

/**
 * Returns what a client asks its user: the tool, the account and each value of the call, one in a line. A text cannot
 * begin a new line, and a cut one says so. Undefined if the call has too many values to show all of them: then a
 * person of the builder sees them.
 */
export function questionText(
  tool: DeclaredTool,
  { integration: { displayName }, provider }: Pick<InstallationRecord, 'integration' | 'provider'>,
  args: Record<string, unknown>,
): string | undefined {
  const values = shownValues(args, tool.action === 'update' ? 'the value is removed' : 'no value')
  if (values === undefined) return undefined
  const account = safeText(displayName ?? tool.integrationName) ?? tool.integrationName
  const label = safeText(tool.label) ?? 'records'
  return [
    `Call the tool ${tool.name} in ${account} (${safeText(provider) ?? 'provider'})? ${effects[tool.action](label)}`,
    ...values,
  ].join('\n')
}

const reads = () => 'It only reads.'
const effects: Record<DeclaredTool['action'], (label: string) => string> = {
  search: reads,
  list: reads,
  get: reads,
  create: (label) => `It creates a record of ${label}.`,
  update: (label) => `It changes a record of ${label}.`,
  delete: (label) => `It deletes a record of ${label}.`,
  call: () => 'It may change the account.',
}

/**
 * Returns a line for each value; undefined if there are too many.
 *
 * @param forNull what null means
 */
function shownValues(args: Record<string, unknown>, forNull: string): string[] | undefined {
  const lines: string[] = []
  const add = (value: unknown, path: readonly string[]): void => {
    if (lines.length > valuesMax) return
    const inner = typeof value === 'object' && value !== null ? Object.entries(value) : []
    if (inner.length === 0 || path.length >= depthMax) lines.push(`${nameOf(path)}: ${shownValue(value, forNull)}`)
    else for (const [key, one] of inner) add(one, [...path, Array.isArray(value) ? `${Number(key) + 1}` : key])
  }
  for (const [key, value] of Object.entries(args)) add(value, [key])
  return lines.length > valuesMax ? undefined : lines
}

function nameOf(path: readonly string[]): string {
  return path.map((key) => safeText(key) ?? '…').join('.')
}

function shownValue(value: unknown, forNull: string): string {
  if (value === null) return forNull
  if (value === '') return 'empty text'
  if (typeof value === 'object' && Object.keys(value).length === 0) return 'empty'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const shown = safeText(text, valueMax) ?? '…'
  return text.length > valueMax ? `${shown} (cut: ${text.length} characters)` : shown
}
