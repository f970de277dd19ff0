import type { Client, Item } from '@mortise/client'
import type { Command } from '../command.ts'
import { parseTime } from '../parse-time.ts'
import type { LogOptions } from './log-options.ts'
import { orgOfLog, withOrg } from './log-options.ts'

export type Entry = Item<'listProjectAuditEntries'>

export interface EntryOptions extends LogOptions {
  from?: string
  to?: string
  actor?: string
  action?: string
  kind?: string
  resource?: string
}

/** Adds the filters of entries. */
export function withFilters(command: Command): Command {
  return withOrg(command)
    .option('--from <time>', 'entries from this time on: 2026-01-31T12:00:00Z, or 2h for two hours ago')
    .option('--to <time>', 'entries before this time')
    .option('--actor <id>', 'entries of this person or key')
    .option('--action <operation>', 'entries of this operation of the API: createApiKey')
    .option('--kind <kind>', 'entries of resources of this kind: api-key')
    .option('--resource <id>', 'entries of this resource')
}

/** Yields the entries of a log, newest first. */
export async function* entriesOf(mortise: Client, options: EntryOptions, signal: AbortSignal): AsyncGenerator<Entry> {
  const { from, to, actor, action, kind, resource } = options
  const query = {
    ...(from !== undefined && { startTime: parseTime(from) }),
    ...(to !== undefined && { endTime: parseTime(to) }),
    ...(actor !== undefined && { actorId: actor }),
    ...(action !== undefined && { action }),
    ...(kind !== undefined && { resourceKind: kind }),
    ...(resource !== undefined && { resourceId: resource }),
  }
  const orgId = await orgOfLog(mortise, options, signal)
  if (orgId === undefined) yield* mortise.each('listProjectAuditEntries', { query }, { signal, pageSize: 1_000 })
  else yield* mortise.each('listOrgAuditEntries', { orgId, query }, { signal, pageSize: 1_000 })
}
