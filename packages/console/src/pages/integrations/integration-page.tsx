import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { LinkButton } from '../../parts/button.tsx'
import { Id } from '../../parts/copy-button.tsx'
import { CodeEditor } from '../../parts/lazy.tsx'
import { Card, Columns, Facts, Page, Tabs } from '../../parts/page.tsx'
import { Loaded, Problem } from '../../parts/states.tsx'
import { Tag, words } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useCall } from '../../session/data.ts'
import { useMay, useProjectRef } from '../../session/project.tsx'
import { Findings, marksOf } from './findings.tsx'
import { doesOf, type Integration, integrationPath, manifestOf, objectsOf } from './manifest.ts'
import { ManifestEditor } from './manifest-editor.tsx'
import { RevisionsTab } from './revisions-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'
import { UsedByTab } from './used-by-tab.tsx'
import './integrations.css'

const tabs: { path: string; label: string; show: (integration: Integration) => ReactNode }[] = [
  { path: '', label: 'Manifest', show: (integration) => <ManifestTab integration={integration} /> },
  { path: 'edit', label: 'Edit', show: (integration) => <EditTab key={integration.id} integration={integration} /> },
  { path: 'revisions', label: 'Revisions', show: (integration) => <RevisionsTab integration={integration} /> },
  { path: 'used-by', label: 'Used by', show: (integration) => <UsedByTab integration={integration} /> },
  { path: 'settings', label: 'Settings', show: (integration) => <SettingsTab integration={integration} /> },
]

/** One integration. Its tabs are parts of the address. */
export default function IntegrationPage() {
  const project = useProjectRef()
  const { integration: ref = '', tab = '' } = useParams({ strict: false }) as { integration?: string; tab?: string }
  const query = useCall('getIntegration', { integrationIdOrName: ref })
  const base = `/${project}/integrations/${encodeURIComponent(ref)}`
  const integration = query.data
  const mayDeploy = useMay('developer')
  const shown = tabs.filter(({ path }) => mayDeploy || path !== 'edit')
  return (
    <Page
      title={integration?.name ?? ref}
      parents={[{ label: 'Integrations', to: `/${project}/integrations` }]}
      about={integration && <About integration={integration} />}
      actions={integration && tab !== 'edit' && <Actions integration={integration} />}
      tabs={<Tabs tabs={shown.map(({ path, label }) => ({ label, to: path === '' ? base : `${base}/${path}` }))} />}
    >
      <Loaded query={query} lines={10}>
        {(data) => (shown.find(({ path }) => path === tab) ?? shown[0])?.show(data)}
      </Loaded>
    </Page>
  )
}

function About({ integration: { provider, latestRevision } }: { integration: Integration }) {
  const project = useProjectRef()
  return (
    <>
      At <Link to={`/${project}/providers/${provider}` as never}>{provider}</Link>, last deployed{' '}
      <Time at={latestRevision.createTime} />
    </>
  )
}

function Actions({ integration }: { integration: Integration }) {
  const project = useProjectRef()
  const mayDeploy = useMay('developer')
  return (
    <>
      <LinkButton
        to={`/${project}/integrations/environments` as never}
        search={{ integration: integration.name } as never}
      >
        {mayDeploy ? 'Promote' : 'Compare projects'}
      </LinkButton>
      {mayDeploy && (
        <LinkButton look="primary" to={`${integrationPath(project, integration)}/edit` as never}>
          Edit and deploy
        </LinkButton>
      )}
    </>
  )
}

/** The manifest as it is deployed, with what validation says of it today: providers and destinations change. */
function ManifestTab({ integration }: { integration: Integration }) {
  const yaml = manifestOf(integration.latestRevision)
  const mayValidate = useMay('developer')
  const validation = useCall(
    'validateManifest',
    { body: { sourceYaml: yaml } },
    { staleMs: 60_000, enabled: mayValidate },
  )
  return (
    <Columns
      main={
        <CodeEditor
          label="Manifest"
          language="yaml"
          value={yaml}
          readOnly
          findings={marksOf(validation.data?.findings ?? [])}
        />
      }
      side={
        <>
          <Card title="Findings">
            {!mayValidate ? (
              <p className="muted">Developers see what validation finds.</p>
            ) : validation.error ? (
              <Problem error={validation.error} />
            ) : (
              <Findings findings={validation.data?.findings} />
            )}
          </Card>
          <Card title="Facts">
            <Facts facts={factsOf(integration)} />
          </Card>
        </>
      }
    />
  )
}

function factsOf({ id, createTime, latestRevision }: Integration): [string, ReactNode][] {
  const { content } = latestRevision
  return [
    [
      'Does',
      <span key="does" className="row">
        {doesOf(content).map((action) => (
          <Tag key={action}>{words(action)}</Tag>
        ))}
      </span>,
    ],
    ['Reads', objectsOf(content, 'read').join(', ')],
    ['Writes', objectsOf(content, 'write').join(', ')],
    ['Subscribes to', objectsOf(content, 'subscribe').join(', ')],
    ['Id', <Id key="id" id={id} />],
    ['Revision', <Id key="revision" id={latestRevision.id} />],
    ['Format', latestRevision.specVersion],
    ['Created', <Time key="created" at={createTime} format="absolute" />],
  ]
}

function EditTab({ integration }: { integration: Integration }) {
  const project = useProjectRef()
  const navigate = useNavigate()
  return (
    <ManifestEditor
      initial={manifestOf(integration.latestRevision)}
      onDeployed={() => navigate({ to: integrationPath(project, integration) as never })}
    />
  )
}
