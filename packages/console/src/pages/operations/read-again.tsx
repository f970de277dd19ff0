import { useNavigate } from '@tanstack/react-router'
import { Button } from '../../parts/button.tsx'
import { useInstallation } from '../../parts/names.tsx'
import { useChange } from '../../session/data.ts'
import { useMay, useProjectRef } from '../../session/project.tsx'
import type { Operation } from './use-operations.ts'

/** Runs a read again: a backfill after its last page, another read from the time when it began. */
export function ReadAgain({ operation, look }: { operation: Operation; look?: 'primary' }) {
  const may = useMay('operator')
  const navigate = useNavigate()
  const project = useProjectRef()
  const { found } = useInstallation(operation.installationId)
  const trigger = useChange('triggerRead', {
    refreshes: ['searchOperations', 'listOperations', 'getInstallationStatus'],
    done: 'The read has started.',
    onDone: ({ operationId }) => void navigate({ to: `/${project}/operations/${operationId}` as never }),
  })
  const { actionType, resource, integrationId, readType, status } = operation
  if (actionType !== 'read' || resource === undefined || status === 'in_progress') return null
  const groupRef = found?.groupRef
  return (
    <Button
      look={look ?? 'plain'}
      busy={trigger.isPending}
      disabled={!may || groupRef === undefined}
      title={may ? undefined : 'An operator can do this.'}
      onClick={() =>
        groupRef !== undefined &&
        trigger.mutate({
          integrationId,
          objectName: resource,
          body: { mode: 'async', groupRef, ...(readType === 'backfill' && { backfill: true }) },
        })
      }
    >
      {readType === 'backfill' ? 'Continue the backfill' : 'Read again'}
    </Button>
  )
}
