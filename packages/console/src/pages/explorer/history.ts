import { useSyncExternalStore } from 'react'
import { readSetting, writeSetting } from '../../session/settings.ts'
import { isSecretName, pathWithoutSecrets, withoutSecrets } from './secrets.ts'

/** A request that was sent, without its secrets. It stays in this browser. */
export interface Sent {
  at: string
  kind: 'api' | 'proxy'
  method: string
  path: string
  status: number
  ms: number
  body: string
  /** Of the API: the operation and its parameters. */
  operationId?: string
  parameters?: Record<string, string>
  /** Of the proxy: whose account. */
  integration?: string
  groupRef?: string
}

const entriesMax = 50
const keyOf = (project: string) => `explorer:${project}`
const listeners = new Set<() => void>()
const cache = new Map<string, Sent[]>()

function read(project: string): Sent[] {
  const known = cache.get(project)
  if (known) return known
  const stored = readSetting<Sent[]>(keyOf(project), [])
  const entries = Array.isArray(stored) ? stored : []
  cache.set(project, entries)
  return entries
}

function write(project: string, entries: Sent[]): void {
  cache.set(project, entries)
  writeSetting(keyOf(project), entries)
  for (const notify of listeners) notify()
}

export function remember(project: string, sent: Sent): void {
  const parameters = Object.entries(sent.parameters ?? {}).filter(([name]) => !isSecretName(name))
  const entry: Sent = {
    ...sent,
    path: pathWithoutSecrets(sent.path),
    body: withoutSecrets(sent.body),
    ...(sent.parameters && { parameters: Object.fromEntries(parameters) }),
  }
  write(project, [entry, ...read(project)].slice(0, entriesMax))
}

export function clearHistory(project: string): void {
  write(project, [])
}

export function useHistory(project: string): Sent[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => read(project),
  )
}
