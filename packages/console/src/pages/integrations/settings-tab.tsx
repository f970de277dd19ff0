import { useNavigate } from '@tanstack/react-router'
import { ConfirmButton } from '../../parts/dialog.tsx'
import { Card } from '../../parts/page.tsx'
import { useChange } from '../../session/data.ts'
import { useMay, useProjectRef } from '../../session/project.tsx'
import type { Integration } from './manifest.ts'

export function SettingsTab({ integration: { name } }: { integration: Integration }) {
  const project = useProjectRef()
  const navigate = useNavigate()
  const mayDelete = useMay('developer')
  const deletion = useChange('deleteIntegration', {
    refreshes: ['listIntegrations', 'listInstallationsForProject', 'listConnections'],
    done: `${name} deleted`,
    onDone: () => navigate({ to: `/${project}/integrations` as never }),
  })
  return (
    <Card title="Delete this integration">
      <p>
        Deletes its revisions and all its installations. Connections that no other installation uses are deleted too.
        What was read before is still delivered.
      </p>
      <div className="row">
        <ConfirmButton
          label="Delete integration"
          title={`Delete ${name}`}
          text="Its revisions and installations are deleted, with the connections that nothing else uses. This cannot be undone."
          action="Delete integration"
          typed={name}
          busy={deletion.isPending}
          disabled={!mayDelete}
          onConfirm={() => deletion.mutateAsync({ integrationIdOrName: name }).catch(() => undefined)}
        />
        {!mayDelete && <span className="muted small">Developers can delete integrations.</span>}
      </div>
    </Card>
  )
}
