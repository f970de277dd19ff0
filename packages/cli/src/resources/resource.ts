import type { Client } from '@mortise/client'
import type { Column } from '../terminal/print.ts'

export { defined } from './defined.ts'

/** What narrows a list, or says where a thing is; each is an option of that name. */
export const filters = {
  integration: 'id or name of the integration',
  installation: 'id of the installation',
  object: 'the provider’s name of the object',
  group: 'your ref of the group',
  consumer: 'your ref of the consumer',
  provider: 'name of the provider',
  destination: 'id or name of the destination',
  topic: 'id of the topic',
  event: 'type of the event, such as connection.created',
  operation: 'id of the operation',
  message: 'id of the message',
  status: 'in_progress, success or failure; of approvals: waiting, asking or ended',
  state: 'pending, delivered, failed or discarded',
  reason:
    'of an installation: bad_credentials, backfill_failed, reads_paused, subscription_failed or reads_failing; of a dead letter: refused or exhausted',
  kind: 'read, subscribe, schema.watch or notification',
  since: 'from this time on: 2026-01-31T12:00:00Z, or 2h for two hours ago',
  until: 'before this time',
  org: 'id of the organization (default: the one that owns the project)',
} as const
export type Filter = keyof typeof filters

export interface ResourceCall {
  mortise: Client
  signal: AbortSignal
  options: { [F in Filter]?: string }
  /** Whether `get` shows secrets, too. */
  secrets?: boolean
}

/** Which filters a verb requires, and which others it accepts. */
interface Takes {
  needs?: readonly Filter[]
  takes?: readonly Filter[]
}

/** A kind of thing that a service has: what can be done with it, and how a list shows it. */
export interface Resource<T = unknown> {
  /** As people write it: `event-routes`. */
  name: string
  /** One of them: `event-route`. */
  one: string
  /** Of a table. */
  columns: Column<T>[]
  list?: Takes & { rows(call: ResourceCall): AsyncIterable<T> }
  get?: Takes & { secrets?: true; read(call: ResourceCall, id: string): Promise<unknown> }
  delete?: Takes & { run(call: ResourceCall, id: string): Promise<unknown> }
}

/** Declares a resource; what its rows are is known to it alone. */
export function resource<T>(declared: Resource<T>): Resource {
  return declared as unknown as Resource
}

/** Returns the value of a filter that the verb needs: the command line is refused without it. */
export function needed({ options }: ResourceCall, filter: Filter): string {
  const value = options[filter]
  if (value === undefined) throw new Error(`The filter --${filter} is missing.`)
  return value
}

/** A list that comes whole. */
export async function* all<T>(rows: Promise<readonly T[]>): AsyncGenerator<T> {
  yield* await rows
}

/** A time as tables show it. */
export function timeText(time: string | undefined): string {
  return time === undefined ? '' : time.replace(/\.\d+Z$/, 'Z')
}
