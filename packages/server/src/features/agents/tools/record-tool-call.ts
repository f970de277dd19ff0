import { hash } from 'node:crypto'
import { callerName } from '../../../kernel/http/index.ts'
import type { InstallationRecord } from '../../integrations/installations/index.ts'
import type { EndedOperation } from '../../platform/operations/index.ts'
import { callDetails, type ProviderCall } from '../../provider-calls/calls/index.ts'
import type { DeclaredTool } from './declared-tools.ts'
import { safeText } from './safe-text.ts'
import type { ToolContext, ToolOutcome, ToolRequest } from './tool-call.ts'
import type { ToolErrorFacts } from './tool-error.ts'

/** An approval that a call has. */
export interface GivenApproval {
  id: string
  /** Who has given it: a person of the builder, or the user of the client. */
  decider: 'person' | 'user'
}

/** A call that has ended. */
export interface EndedCall {
  request: ToolRequest
  tool: DeclaredTool
  installation: InstallationRecord
  approval: GivenApproval | undefined
  calls: readonly ProviderCall[]
  /** By `performance.now()`. */
  begun: number
  outcome: ToolOutcome | undefined
  failed: ToolErrorFacts | undefined
}

const argumentsMax = 2_000

/**
 * Stores a call as an operation. A call that writes is stored before its caller gets the response; one that only reads,
 * within a moment. Values of arguments are left out, as they are content of records. Returns the id of the operation.
 */
export async function recordToolCall({ db, services }: ToolContext, call: EndedCall): Promise<string> {
  const operation = operationOf(services, call)
  const { log } = services.toolCalls
  const stored = call.tool.isWrite ? log.store(db.projectId, operation) : log.storeSoon(db.projectId, operation)
  if (stored) await stored
  return operation.id
}

function operationOf(services: Pick<ToolContext['services'], 'newId' | 'now'>, call: EndedCall): EndedOperation {
  const { request, tool, installation, approval, calls, begun, outcome, failed } = call
  const ended = services.now()
  const ms = Math.round(performance.now() - begun)
  const result = `[${tool.objectName}] ${tool.name}: ${outcome?.summary ?? failed?.message ?? 'failed'}`
  const agent = request.agent === undefined ? undefined : safeText(request.agent)
  const { request: sent, ms: providerMs, ...answered } = callDetails(calls)
  return {
    id: services.newId(),
    integrationId: installation.integrationId,
    installationId: installation.id,
    configId: installation.configId,
    actionType: 'tool',
    resource: tool.objectName,
    status: outcome ? 'success' : 'failure',
    result,
    metadata: { objects: [tool.objectName], tool: tool.name, ...(agent !== undefined && { agent }) },
    begun: new Date(ended.getTime() - ms),
    ended,
    line: {
      severity: outcome ? 'INFO' : 'ERROR',
      msg: result,
      details: {
        tool: tool.name,
        calledBy: callerName(request.caller),
        // Who it was can be compared, but not read: logs outlive the erasure of a person.
        ...(request.consumerRef !== undefined && { consumer: consumerDigest(request.consumerRef) }),
        ...(agent !== undefined && { agent }),
        arguments: maskedArguments(request.arguments),
        ...(approval && { approval: approval.id, decider: approval.decider }),
        ...(failed && { error: failed.code }),
        ...outcome?.details,
        ...(sent !== undefined && { request: sent }),
        ...(providerMs !== undefined && { providerMs }),
        ...answered,
        ms: `${ms}`,
      },
    },
  }
}

/** Returns a digest that is the same for each call of a consumer. */
export function consumerDigest(consumerRef: string): string {
  return `sha256:${hash('sha256', consumerRef)}`
}

/** Returns arguments for the log: names, ids and numbers of records, and which values are removed; no values. */
export function maskedArguments(value: Record<string, unknown>): string {
  const kept = Object.entries(value).map(([name, inner]) => {
    if (name === 'id' && typeof inner === 'string') return [name, inner.slice(0, 200)]
    if (name === 'limit' && typeof inner === 'number') return [name, inner]
    if (inner === null) return [name, null]
    if (typeof inner !== 'object' || Array.isArray(inner)) return [name, '…']
    return [name, Object.fromEntries(Object.entries(inner).map(([key, one]) => [key, one === null ? null : '…']))]
  })
  return JSON.stringify(Object.fromEntries(kept)).slice(0, argumentsMax).toWellFormed()
}
