import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { InvalidInput, type Issue } from '../../../kernel/http/index.ts'
import type { DestinationKind } from '../kinds/index.ts'
import type { Forwarding } from './store.ts'

/** Where a destination with these settings gives its messages; nowhere for a kind that sends. */
export function forwardingOf(kind: DestinationKind, settings: object): Forwarding {
  return {
    members: kind.members === undefined ? null : [...kind.members(settings)],
    groupDefault: kind.groupDefault?.(settings) ?? null,
  }
}

/** A destination as a request creates or changes it. */
export interface ForwardingDraft {
  /** Undefined before it is created. */
  id: string | undefined
  name: string
  forwarding: Forwarding
  /** Before the request. Its names were checked when they were given, and their destinations may be deleted since. */
  before: Forwarding | undefined
  /** Path of the destination in the request: empty, or with a dot at its end. */
  at: string
}

interface Found {
  id: string
  name: string
  type: string
  members: string[] | null
  groupDefault: string | null
  hasGroup: boolean
}

/**
 * Checks that a destination that does not send names destinations that exist and send, and that no other of its kind
 * names it: a message goes one step, and no further. Passes a destination that sends.
 *
 * @throws InvalidInput with all errors
 */
export async function checkForwarding(tx: ProjectDb, draft: ForwardingDraft): Promise<void> {
  const { name, forwarding } = draft
  if (forwarding.members === null) return
  await lockForwarding(tx)
  const names = namesOf(forwarding)
  const { rows } = await sql<Found>`
    with grouped as (
      select destination_id from destination_groups where project_id = ${tx.projectId} and target_name = ${name}
      union
      select destination_id from destination_connections where project_id = ${tx.projectId} and target_name = ${name}
    )
    select id, name, type, members, group_default as "groupDefault", id in (select destination_id from grouped) as "hasGroup"
      from destinations
     where project_id = ${tx.projectId}
       and (name = any(${names}) or ${name} = any(members) or group_default = ${name} or id in (select destination_id from grouped))`.execute(
    tx.sql,
  )
  const issues = [...targetIssues(draft, rows), ...namedIssues(draft, rows)]
  if (issues.length > 0) throw new InvalidInput({ issues })
}

/**
 * Makes changes of where messages are given wait for each other until their transactions end: of two at the same time,
 * the second sees the first.
 */
export async function lockForwarding(tx: ProjectDb): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`fan-outs of ${tx.projectId}`}, 0))`.execute(tx.sql)
}

function namesOf({ members, groupDefault }: Forwarding): string[] {
  return [...(members ?? []), ...(groupDefault === null ? [] : [groupDefault])]
}

function targetIssues({ id, name, forwarding, before, at }: ForwardingDraft, rows: readonly Found[]): Issue[] {
  const byName = new Map(rows.map((row) => [row.name, row]))
  const known = before ? namesOf(before) : []
  return namesOf(forwarding).flatMap((target, index) => {
    const row = byName.get(target)
    const path = `${at}metadata.${forwarding.groupDefault === null ? `destinations[${index}]` : 'default'}`
    const issue = (detail: string, remedy: string) => [
      { in: 'body' as const, name: path, value: target, detail: `${path} ${detail}`, remedy },
    ]
    const remedy = 'Name a destination that sends.'
    if (target === name || (row !== undefined && row.id === id)) return issue('names the destination itself.', remedy)
    if (row?.members) return issue(`names ${target}, which is a destination of type ${row.type}.`, remedy)
    if (row === undefined && !known.includes(target))
      return issue('names no destination of this project.', 'Create it first, or correct the name.')
    return []
  })
}

function namedIssues({ id, name, at }: ForwardingDraft, rows: readonly Found[]): Issue[] {
  const naming = rows.filter(
    (row) => row.hasGroup || (row.id !== id && (row.members?.includes(name) || row.groupDefault === name)),
  )
  if (naming.length === 0) return []
  const detail = `${name} is a destination of ${naming.map((row) => row.name).join(', ')}, so it must have a type that sends.`
  return [{ in: 'body', name: `${at}name`, value: name, detail, remedy: 'Choose another name.' }]
}
