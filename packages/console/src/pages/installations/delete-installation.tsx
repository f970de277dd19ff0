import { useNavigate } from '@tanstack/react-router'
import { ConfirmButton } from '../../parts/dialog.tsx'
import { useIntegrationName } from '../../parts/integrations.ts'
import { useChange } from '../../session/data.ts'
import { useMay, useProjectRef } from '../../session/project.tsx'
import type { InstallationDetail } from './types.ts'

export function DeleteInstallation({ installation }: { installation: InstallationDetail }) {
  const { id, integrationId, group } = installation
  const project = useProjectRef()
  const navigate = useNavigate()
  const nameOf = useIntegrationName()
  const may = useMay('developer')
  const remove = useChange('deleteInstallation', {
    refreshes: ['listInstallationsForProject', 'listConnections', 'getOverview', 'listFailingInstallations'],
    done: 'The integration is uninstalled.',
    onDone: () => navigate({ to: `/${project}/installations` as never }),
  })
  if (!may) return null
  return (
    <ConfirmButton
      label="Delete"
      title={`Delete the installation of ${nameOf(integrationId)} for ${group.groupName || group.groupRef}?`}
      text="Its reads stop, and its operations end as failed. Messages that exist are still delivered. Its connection is deleted too if no other installation uses it."
      action="Delete installation"
      typed={group.groupRef}
      busy={remove.isPending}
      onConfirm={() => remove.mutateAsync({ integrationId, installationId: id }).catch(() => undefined)}
    />
  )
}
