import { isSameBytes } from '../../../../kernel/encryption/index.ts'
import { consumerDigest } from '../record-tool-call.ts'
import type { ToolAnswer, ToolContext, ToolRequest } from '../tool-call.ts'
import { ToolError, type ToolErrorFacts } from '../tool-error.ts'
import { openResult } from './approval-call.ts'
import { approvalStatus } from './approval-resource.ts'
import { type ApprovalRow, findApproval } from './approval-store.ts'

/** Answers the tool `get_approval_result`. An approval of another group or another consumer looks missing. */
export async function approvalResult({ db, services }: ToolContext, request: ToolRequest): Promise<ToolAnswer> {
  const { id } = request.arguments
  const row = typeof id === 'string' ? await findApproval(db, id) : undefined
  const isOwn =
    row?.groupRef === request.groupRef &&
    (row.consumer_digest === null ||
      (request.consumerRef !== undefined &&
        isSameBytes(Buffer.from(row.consumer_digest), Buffer.from(consumerDigest(request.consumerRef)))))
  if (!row || !isOwn)
    return failed({ code: 'not_found', message: 'There is no approval of this id. Ids are in results of calls.' })
  const status = approvalStatus(row, services.now())
  switch (status) {
    case 'waiting':
    case 'running':
      return { isError: false, content: { status, approvalId: row.id, message: 'Nothing to do yet. Ask again later.' } }
    case 'expired':
      return failed({ code: 'approval_expired', message: 'Nobody decided in time. Nothing has changed.' })
    case 'refused':
      return failed({
        code: 'approval_refused',
        message: `A person refused the call. Nothing has changed.${row.comment === null ? '' : ` They wrote: ${row.comment}`}`,
      })
    case 'unknown':
      return failed({
        code: 'outcome_unknown',
        message: 'The call was interrupted. Look at the record before you call again.',
      })
    default:
      return resultOf(row)
  }

  function resultOf({ encrypted_result: encrypted }: ApprovalRow): ToolAnswer {
    if (encrypted === null) throw new ToolError({ code: 'outcome_unknown', message: 'The result is missing.' })
    return openResult(db, services.keyring, id as string, encrypted)
  }
}

function failed(error: ToolErrorFacts): ToolAnswer {
  return { isError: true, content: { error } }
}
