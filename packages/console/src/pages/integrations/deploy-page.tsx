import { useNavigate } from '@tanstack/react-router'
import { Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { useMay, useProjectRef } from '../../session/project.tsx'
import { integrationPath } from './manifest.ts'
import { ManifestEditor } from './manifest-editor.tsx'
import './integrations.css'

const template = `specVersion: 1.0.0
integrations:
  - name: crm
    displayName: CRM
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: webhook
          schedule: '*/10 * * * *'
          requiredFields:
            - fieldName: email
          optionalFieldsAuto: all
          backfill:
            defaultPeriod:
              days: 30
`

/** A new manifest, from a template. */
export default function DeployPage() {
  const project = useProjectRef()
  const navigate = useNavigate()
  const mayDeploy = useMay('developer')
  return (
    <Page
      title="Deploy a manifest"
      parents={[{ label: 'Integrations', to: `/${project}/integrations` }]}
      about="Integrations are found by name. One that exists gets a new revision; those that the text does not name stay."
    >
      {mayDeploy ? (
        <ManifestEditor
          initial={template}
          onDeployed={(deployed) => {
            const [first] = deployed
            const to = first && deployed.length === 1 ? integrationPath(project, first) : `/${project}/integrations`
            navigate({ to: to as never })
          }}
        />
      ) : (
        <Empty title="Developers can deploy manifests" text="Ask an owner of your organization to change your role." />
      )}
    </Page>
  )
}
