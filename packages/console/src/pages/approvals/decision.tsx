import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { ConfirmButton } from '../../parts/dialog.tsx'
import { TextArea } from '../../parts/fields.tsx'
import { refresh, useChange } from '../../session/data.ts'
import { useMay } from '../../session/project.tsx'
import { type ApprovalDetails, whatItSets } from './approval.ts'

const refreshes: ('listApprovals' | 'getApproval' | 'searchOperations')[] = [
  'listApprovals',
  'getApproval',
  'searchOperations',
]
const commentMax = 1_000

/**
 * Approves or refuses a call. If somebody else was faster, or the rules have changed, the request is loaded again, and
 * the problem is handed to the page, which shows it beside what holds now.
 */
export function Decision({
  approval,
  onProblem,
}: {
  approval: ApprovalDetails
  onProblem: (problem: unknown) => void
}) {
  const { id: approvalId, action, objectName, groupRef } = approval
  const may = useMay('operator')
  const queries = useQueryClient()
  const [comment, setComment] = useState('')
  const options = { refreshes, showsProblem: false }
  const approve = useChange('approveCall', options)
  const refuse = useChange('refuseCall', options)
  const isBusy = approve.isPending || refuse.isPending
  const input = { approvalId, body: comment.trim() === '' ? {} : { comment: comment.trim() } }
  function decide(change: typeof approve | typeof refuse) {
    onProblem(undefined)
    return change.mutateAsync(input).catch((error: unknown) => {
      onProblem(error)
      return refresh(queries, refreshes)
    })
  }
  if (!may)
    return (
      <p className="muted">
        An operator can approve or refuse this call. Ask one, or an owner for the role of an operator.
      </p>
    )
  return (
    <section className="stack" aria-label="Decision">
      <TextArea
        label="Comment"
        optional
        help="The agent gets it, and it stays with the request."
        rows={2}
        maxLength={commentMax}
        value={comment}
        onChange={(event) => setComment(event.target.value)}
      />
      <div className="row">
        {action === 'delete' ? (
          <ConfirmButton
            label={approve.isPending ? 'Deleting…' : 'Approve…'}
            title="Approve the deletion"
            text={`The record ${whatItSets(approval.arguments).id ?? ''} of ${objectName} is deleted in the account of ${groupRef}. Mortise cannot restore it.`}
            action="Approve and delete"
            busy={approve.isPending}
            disabled={refuse.isPending}
            onConfirm={() => decide(approve)}
          />
        ) : (
          <Button look="primary" busy={approve.isPending} disabled={refuse.isPending} onClick={() => decide(approve)}>
            {approve.isPending ? 'Running the call…' : 'Approve'}
          </Button>
        )}
        <Button busy={refuse.isPending} disabled={isBusy && !refuse.isPending} onClick={() => decide(refuse)}>
          Refuse
        </Button>
        <span className="muted small">An approved call runs immediately, once.</span>
      </div>
    </section>
  )
}
