import { useNavigate } from '@tanstack/react-router'
import { Button } from '../../parts/button.tsx'
import { ConfirmButton } from '../../parts/dialog.tsx'
import { useInstallation } from '../../parts/names.tsx'
import { useChange } from '../../session/data.ts'
import { useMay, useProjectRef } from '../../session/project.tsx'
import type { Operation } from './use-operations.ts'

/** Runs a read again: a failed backfill after its last page, another one from the beginning. */
export function ReadAgain({ operation, look }: { operation: Operation; look?: 'primary' }) {
  const may = useMay('operator')
  const navigate = useNavigate()
  const project = useProjectRef()
  const { actionType, resource, integrationId, installationId, readType, status } = operation
  const groupRef = useInstallation(installationId, integrationId)?.groupRef
  const trigger = useChange('triggerRead', {
    refreshes: ['searchOperations', 'listOperations', 'getInstallationStatus'],
    done: 'The read has started.',
    onDone: ({ operationId }) => void navigate({ to: `/${project}/operations/${operationId}` as never }),
  })
  if (actionType !== 'read' || resource === undefined || status === 'in_progress') return null
  const isBackfill = readType === 'backfill'
  const disabled = !may || groupRef === undefined
  const read = async () => {
    if (groupRef === undefined) return
    const body = { mode: 'async' as const, groupRef, ...(isBackfill && { backfill: true }) }
    // A refusal is shown as a notice.
    await trigger.mutateAsync({ integrationId, objectName: resource, body }).catch(() => undefined)
  }
  if (isBackfill && status === 'success')
    return (
      <ConfirmButton
        look="plain"
        label="Backfill again"
        title={`Read all of ${resource} again`}
        text="Every record is read and sent to the destination once more. Nothing is deleted."
        action="Backfill again"
        busy={trigger.isPending}
        disabled={disabled}
        onConfirm={read}
      />
    )
  return (
    <Button
      look={look ?? 'plain'}
      busy={trigger.isPending}
      disabled={disabled}
      title={may ? undefined : 'An operator can do this.'}
      onClick={read}
    >
      {isBackfill ? 'Continue the backfill' : 'Read again'}
    </Button>
  )
}
