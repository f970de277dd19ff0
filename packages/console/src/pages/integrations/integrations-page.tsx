import { Link, useNavigate } from '@tanstack/react-router'
import { LinkButton } from '../../parts/button.tsx'
import { Id } from '../../parts/copy-button.tsx'
import { DataTable, whole } from '../../parts/data-table.tsx'
import { FilterBar, useFilters } from '../../parts/filters.tsx'
import { Page, Tabs } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { Tag, words } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useMay, useProjectRef } from '../../session/project.tsx'
import { useIntegrations } from './all-integrations.ts'
import { doesOf, type Integration, integrationPath } from './manifest.ts'
import './integrations.css'

export default function IntegrationsPage() {
  const project = useProjectRef()
  const navigate = useNavigate()
  const query = useIntegrations(project)
  const [{ q = '', provider = '' }] = useFilters()
  const items = query.data?.filter(
    (one) =>
      (provider === '' || one.provider === provider) &&
      [one.name, one.id, one.provider].some((text) => text.toLowerCase().includes(q.toLowerCase())),
  )
  const providers = [...new Set(query.data?.map((one) => one.provider))].toSorted()
  return (
    <Page
      title="Integrations"
      about="What you built: the objects that are read, written and subscribed to, for each provider."
      actions={<DeployLink />}
      tabs={<IntegrationTabs />}
      fills
    >
      <FilterBar
        filters={[
          { name: 'q', label: 'Name or id', kind: 'text' },
          { name: 'provider', label: 'Provider', choices: providers.map((value) => ({ value, label: value })) },
        ]}
      />
      <DataTable
        label="Integrations"
        columns={columnsOf(project)}
        list={whole(items, query)}
        keyOf={({ id }) => id}
        onOpen={(one) => navigate({ to: integrationPath(project, one) as never })}
        empty={<NoIntegrations filtered={q !== '' || provider !== ''} />}
      />
    </Page>
  )
}

const columnsOf = (project: string) => [
  {
    id: 'name',
    header: 'Name',
    cell: (one: Integration) => <Link to={integrationPath(project, one) as never}>{one.name}</Link>,
  },
  {
    id: 'provider',
    header: 'Provider',
    cell: ({ provider }: Integration) => <Link to={`/${project}/providers/${provider}` as never}>{provider}</Link>,
  },
  {
    id: 'does',
    header: 'Does',
    width: 260,
    cell: ({ latestRevision }: Integration) => (
      <span className="row tight">
        {doesOf(latestRevision.content).map((action) => (
          <Tag key={action}>{words(action)}</Tag>
        ))}
      </span>
    ),
  },
  {
    id: 'deployed',
    header: 'Last deployed',
    width: 130,
    cell: ({ latestRevision }: Integration) => <Time at={latestRevision.createTime} />,
  },
  {
    id: 'revision',
    header: 'Revision',
    width: 160,
    cell: ({ latestRevision }: Integration) => <Id id={latestRevision.id} />,
  },
  { id: 'created', header: 'Created', width: 110, cell: ({ createTime }: Integration) => <Time at={createTime} /> },
  { id: 'id', header: 'Id', width: 160, hidden: true, cell: ({ id }: Integration) => <Id id={id} /> },
]

/** Tabs of the list, and of the projects side by side. */
export function IntegrationTabs() {
  const project = useProjectRef()
  return (
    <Tabs
      tabs={[
        { label: 'In this project', to: `/${project}/integrations` },
        { label: 'Environments', to: `/${project}/integrations/environments` },
      ]}
    />
  )
}

function DeployLink() {
  const project = useProjectRef()
  if (!useMay('developer')) return <span className="muted small">Developers can deploy.</span>
  return (
    <LinkButton look="primary" to={`/${project}/integrations/deploy` as never}>
      Deploy a manifest
    </LinkButton>
  )
}

function NoIntegrations({ filtered }: { filtered: boolean }) {
  const project = useProjectRef()
  if (filtered) return <Empty title="No integration matches" text="Clear the filters to see all of them." />
  return (
    <Empty
      title="No integrations yet"
      text="A manifest says what is read, written and subscribed to. Deploy one from your terminal, or write it here."
      command={`mortise deploy --project ${project}`}
      action={<DeployLink />}
    />
  )
}
