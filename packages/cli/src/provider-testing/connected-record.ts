import { createHash } from 'node:crypto'
import type { Output } from '@mortise/client'
import { createTwoFilesPatch } from 'diff'
import { parse } from 'yaml'

type Tested = Output<'testProviderFile'>

/** What a test has shown to work, as a provider file says it under `connected`. */
export interface ConnectedRecord {
  date: string
  file: string
  parts: string[]
  objects: string[]
}

/**
 * Returns what a test without errors has shown to work: names of the file alone, nothing of the account. Undefined if
 * the test sent no request.
 */
export function connectedRecord(text: string, { checks, objects }: Tested, now: Date): ConnectedRecord | undefined {
  const file = parse(text) as { baseUrl?: string; healthCheck?: { url?: string } }
  const names = objects.filter(({ requests }) => requests.length > 0).map(({ objectName }) => objectName)
  const has = (name: 'healthCheck' | 'get') => checks.some(({ check }) => check === name)
  const isHealthBelowBase = has('healthCheck') && isBelow(file.healthCheck?.url, file.baseUrl)
  if (checks.length === 0 && names.length === 0) return undefined
  return {
    date: now.toISOString().slice(0, 10),
    file: createHash('sha256').update(text).digest('hex').slice(0, 12),
    parts: [
      'authentication',
      ...(has('get') || names.length > 0 || isHealthBelowBase ? ['baseUrl'] : []),
      ...(has('healthCheck') ? ['healthCheck'] : []),
      ...(names.length > 0 ? ['objects'] : []),
    ],
    objects: names,
  }
}

/** Whether a health check is below the base URL: without its own URL, it is a path below it. */
function isBelow(url: string | undefined, baseUrl = ''): boolean {
  return url === undefined || url === baseUrl || url.startsWith(`${baseUrl.replace(/\/$/, '')}/`)
}

/** Returns the file with the record in place of what says that nobody has tested it, or of an earlier record. */
export function withRecord(text: string, { date, file, parts, objects }: ConnectedRecord): string {
  const record = [
    'connected:',
    `  date: ${date}`,
    `  file: '${file}'`,
    `  parts: [${parts.join(', ')}]`,
    ...(objects.length > 0 ? ['  objects:', ...objects.map((name) => `    - ${JSON.stringify(name)}`)] : []),
    '',
  ].join('\n')
  const without = withoutKey(text, 'connected')
    .replace(/^confidence:.*\n/m, '')
    .replace(/^(#.*?) Nobody has connected an account with this file yet\.$/m, '$1')
  // After the names of the provider, at the top of the file.
  const names = /^(?:displayName|name):.*\n(?:displayName:.*\n)?(?:docsUrl:.*\n)?/m
  return without.replace(names, (found) => found + record)
}

/** Returns a patch that `git apply` accepts. */
export function recordPatch(path: string, text: string, record: ConnectedRecord): string {
  const name = path.replaceAll('\\', '/')
  return createTwoFilesPatch(`a/${name}`, `b/${name}`, text, withRecord(text, record), undefined, undefined, {
    context: 3,
  })
}

/** Leaves out a key of the file with all that is indented below it. */
function withoutKey(text: string, key: string): string {
  const lines = text.split('\n')
  const first = lines.findIndex((line) => line.startsWith(`${key}:`))
  if (first < 0) return text
  let end = first + 1
  while (/^[ \t]/.test(lines[end] ?? '')) end++
  return [...lines.slice(0, first), ...lines.slice(end)].join('\n')
}
