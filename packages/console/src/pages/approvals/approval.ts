import type { Output } from '@mortise/client'
import { words } from '../../parts/status.tsx'

export type Approval = Output<'listApprovals'>[number]
export type ApprovalDetails = Output<'getApproval'>
export type ApprovalStatus = Approval['status']

/** The status now: a request expires while a page shows it. */
export function statusNow({ status, expireTime }: Approval, now: number): ApprovalStatus {
  const isOpen = status === 'waiting' || status === 'asking'
  return isOpen && Date.parse(expireTime) <= now ? 'expired' : status
}

/** "Update of contacts". */
export function titleOfApproval({ action, objectName }: Approval): string {
  return `${words(action)} of ${objectName}`
}

/** One value that the call sets. */
export interface SetValue {
  field: string
  value: unknown
}

/** The id of the record and the values, out of the arguments of a tool that writes. */
export function whatItSets(args: Record<string, unknown>): { id: string | undefined; values: SetValue[] } {
  const { id, fields } = args
  const values = typeof fields === 'object' && fields !== null ? Object.entries(fields) : []
  return {
    id: typeof id === 'string' ? id : undefined,
    values: values.map(([field, value]) => ({ field, value })),
  }
}

/** The value of a field in a record of a tool. The name of a nested field is written with dots. */
export function valueIn(record: Record<string, unknown>, field: string): unknown {
  if (Object.hasOwn(record, field)) return record[field]
  let value: unknown = record
  for (const part of field.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<string, unknown>)[part]
  }
  return value
}

/** Who decided, in words; undefined for one of your people, who has a name. */
export function deciderWords({ decider, agent }: Approval): string | undefined {
  if (decider === 'person') return undefined
  return agent === undefined ? 'the user of the client' : `the user of ${agent}`
}
