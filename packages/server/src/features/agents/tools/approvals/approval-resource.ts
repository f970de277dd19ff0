import { type Static, Type } from 'typebox'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { Enum, FreeForm, named, Timestamp } from '../../../../kernel/http/index.ts'
import { openCall, openResult } from './approval-call.ts'
import type { ApprovalRow } from './approval-store.ts'

const statuses = ['waiting', 'asking', 'expired', 'refused', 'running', 'done', 'failed', 'unknown'] as const
export type ApprovalStatus = (typeof statuses)[number]

/** An approved call takes no longer than this. One without a result was interrupted. */
const runningMsMax = 300_000

/** Returns the status at a time: nobody has to change rows for a request to expire. */
export function approvalStatus(row: ApprovalRow, now: Date): ApprovalStatus {
  if (row.status === 'waiting') {
    if (row.expire_time <= now) return 'expired'
    return row.decider === 'user' ? 'asking' : 'waiting'
  }
  if (row.status === 'approved')
    return (row.decide_time?.getTime() ?? 0) + runningMsMax > now.getTime() ? 'running' : 'unknown'
  return row.status
}

const text = (description: string) => Type.String({ description })

const properties = {
  id: text('Id of the request.'),
  status: Enum([...statuses], {
    description:
      '`waiting`: for a person of yours. `asking`: the client asks its user. `running`: approved, and not ended. `done` or `failed`: approved, and ended. `unknown`: the service stopped during the call, so it may be done.',
  }),
  toolName: text('Name of the tool.'),
  action: Enum(['create', 'update', 'delete', 'call'], {
    description: 'What the call does. `call`: a custom tool, or a tool of the provider’s MCP server.',
  }),
  objectName: text('The provider’s name of the object or tool; of a custom tool, its name in the manifest.'),
  integrationName: text('Name of the integration.'),
  installationId: text('Id of the installation.'),
  groupRef: text('Your id of the group.'),
  agent: Type.Optional(text('Name of the agent, as it gave it.')),
  createTime: Timestamp,
  expireTime: { ...Timestamp, description: 'Until when it can be approved.' },
  decideTime: Type.Optional({ ...Timestamp, description: 'When it was approved or refused.' }),
  decider: Enum(['person', 'user'], {
    description:
      'Who decides. `person`: a person of yours, or an API key. `user`: the user of the MCP client that called.',
  }),
  decidedBy: Type.Optional(text('Who approved or refused it; `user` for the user of the client.')),
  comment: Type.Optional(text('What that person wrote; agents see it.')),
  operationId: Type.Optional(text('The operation of the approved call.')),
}

export const Approval = named(
  'Approval',
  Type.Object(properties, { description: 'A call that somebody must approve.' }),
)
export type Approval = Static<typeof Approval>

export const ApprovalDetails = named(
  'ApprovalDetails',
  Type.Object(
    {
      ...properties,
      arguments: Type.Unsafe<Record<string, unknown>>({
        ...FreeForm,
        description: 'The arguments of the call. Exactly these are used.',
      }),
      consumerRef: Type.Optional(text('Your id of the person whom the agent works for.')),
      result: Type.Optional(
        Type.Unsafe<Record<string, unknown>>({ ...FreeForm, description: 'What the agent gets, once the call ended.' }),
      ),
    },
    { description: 'A call that somebody must approve, with its arguments.' },
  ),
)
export type ApprovalDetails = Static<typeof ApprovalDetails>

export function approvalResource(row: ApprovalRow, now: Date): Approval {
  return {
    id: row.id,
    status: approvalStatus(row, now),
    toolName: row.tool_name,
    action: row.action,
    objectName: row.object_name,
    integrationName: row.integrationName,
    installationId: row.installation_id,
    groupRef: row.groupRef,
    ...(row.agent !== null && { agent: row.agent }),
    createTime: row.create_time,
    expireTime: row.expire_time,
    decider: row.decider,
    ...(row.decide_time && { decideTime: row.decide_time }),
    ...(row.decided_by !== null && { decidedBy: row.decided_by }),
    ...(row.comment !== null && { comment: row.comment }),
    ...(row.operation_id !== null && { operationId: row.operation_id }),
  }
}

export function approvalDetails(db: ProjectDb, keyring: Keyring, row: ApprovalRow, now: Date): ApprovalDetails {
  const call = openCall(db, keyring, row.id, row.encrypted_call)
  const result = row.encrypted_result === null ? undefined : openResult(db, keyring, row.id, row.encrypted_result)
  return {
    ...approvalResource(row, now),
    arguments: call.arguments,
    ...(call.consumerRef !== undefined && { consumerRef: call.consumerRef }),
    ...(result && { result: result.content }),
  }
}
