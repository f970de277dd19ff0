import { isSameBytes } from '../../../../kernel/encryption/index.ts'
import { consumerDigest } from '../record-tool-call.ts'
import type { ToolAnswer, ToolContext, ToolRequest } from '../tool-call.ts'
import { errorContent, ToolError, type ToolErrorFacts } from '../tool-error.ts'
import { openResult, outdated } from './approval-call.ts'
import { approvalStatus } from './approval-resource.ts'
import { type ApprovalRow, findApproval } from './approval-store.ts'

/** Answers the tool `get_approval_result`. An approval of another group or another consumer looks missing. */
export async function approvalResult({ db, services }: ToolContext, request: ToolRequest): Promise<ToolAnswer> {
  const { id } = request.arguments
  const row = typeof id === 'string' ? await findApproval(db, id) : undefined
  const isOwn =
    row?.groupRef === request.groupRef &&
    (row.consumer_digest === null || (request.consumerRef !== undefined && isConsumer(row, request.consumerRef)))
  if (!row || !isOwn)
    return failed({ code: 'not_found', message: 'There is no approval of this id. Ids are in results of calls.' })
  return resultOf({ services, db }, row)
}

/** Whether a request was made for a consumer. */
export function isConsumer({ consumer_digest: digest }: ApprovalRow, consumerRef: string): boolean {
  return digest !== null && isSameBytes(Buffer.from(digest), Buffer.from(consumerDigest(consumerRef)))
}

/** Returns what an agent gets about its request. */
export function resultOf({ services, db }: Pick<ToolContext, 'services' | 'db'>, row: ApprovalRow): ToolAnswer {
  const status = approvalStatus(row, services.now())
  switch (status) {
    case 'waiting':
    case 'asking':
    case 'running':
      return { isError: false, content: { status, approvalId: row.id, message: 'Nothing to do yet. Ask again later.' } }
    case 'expired':
      return failed({ code: 'approval_expired', message: 'Nobody decided in time. Nothing has changed.' })
    case 'refused':
      return failed({ code: 'approval_refused', message: refusalOf(row) })
    case 'unknown':
      return failed({
        code: 'outcome_unknown',
        message: 'The call was interrupted. Look at the record before you call again.',
      })
    default:
      if (row.encrypted_result === null)
        throw new ToolError({ code: 'outcome_unknown', message: 'The result is missing.' })
      return openResult(db, services.keyring, row.id, row.encrypted_result)
  }
}

function refusalOf({ comment, decider }: ApprovalRow): string {
  if (comment === outdated) return `The call did not run. ${outdated}`
  if (decider === 'user')
    return 'The user refused the call. Nothing has changed. Do not call again unless the user asks for it.'
  return `A person refused the call. Nothing has changed.${comment === null ? '' : ` They wrote: ${comment}`}`
}

export function failed(error: ToolErrorFacts): ToolAnswer {
  return { isError: true, content: errorContent(error) }
}
