import { useNavigate } from '@tanstack/react-router'
import { Id } from '../../parts/copy-button.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { ExportMenu } from '../../parts/export-menu.tsx'
import { FilterBar, useFilters } from '../../parts/filters.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { ConnectionLink, CustomerLink } from '../../parts/project-links.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useList } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'
import { schemeWords } from './scheme-words.ts'
import { type Connection, statusWords } from './types.ts'

const columns: Column<Connection>[] = [
  {
    id: 'provider',
    header: 'Connection',
    cell: ({ id, provider, providerWorkspaceRef }) => (
      <ConnectionLink id={id}>
        {provider}
        {providerWorkspaceRef !== undefined && ` · ${providerWorkspaceRef}`}
      </ConnectionLink>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    cell: ({ status, lastCheck }) => (
      <Status
        state={status}
        label={statusWords[status]}
        reason={status === 'bad_credentials' ? lastCheck?.reason : undefined}
      />
    ),
  },
  { id: 'customer', header: 'Customer', cell: ({ group }) => <CustomerLink {...group} />, width: 200 },
  {
    id: 'person',
    header: 'Person',
    cell: ({ consumer }) => consumer.consumerName || consumer.consumerRef,
    width: 180,
  },
  { id: 'scheme', header: 'Authenticates with', cell: (connection) => schemeWords(connection), width: 180 },
  { id: 'checked', header: 'Checked', cell: ({ lastCheck }) => <Time at={lastCheck?.time} />, width: 110 },
  { id: 'created', header: 'Connected', cell: ({ createTime }) => <Time at={createTime} />, width: 110 },
  { id: 'id', header: 'Id', cell: ({ id }) => <Id id={id} />, width: 170, hidden: true },
]

const statuses = Object.entries(statusWords).map(([value, label]) => ({ value, label }))

/** The accounts of the customers, with whether their credentials work. */
export default function ConnectionsPage() {
  const project = useProjectRef()
  const navigate = useNavigate()
  const [{ provider, status, groupRef, consumerRef }] = useFilters()
  const filters = { provider, status: statuses.find(({ value }) => value === status)?.value, groupRef, consumerRef }
  const query = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))
  const list = useList('listConnections', { query } as never)
  return (
    <Page title="Connections" about="Accounts that your customers connected." fills>
      <FilterBar
        filters={[
          { name: 'status', label: 'Status', choices: statuses },
          { name: 'provider', label: 'Provider', kind: 'text' },
          { name: 'groupRef', label: 'Customer (ref)', kind: 'text' },
          { name: 'consumerRef', label: 'Person (ref)', kind: 'text' },
        ]}
      >
        <ExportMenu id="listConnections" input={{ query } as never} name="connections" />
      </FilterBar>
      <DataTable
        label="Connections"
        columns={columns}
        list={list}
        keyOf={({ id }) => id}
        onOpen={({ id }) => navigate({ to: `/${project}/${paths.connection(id)}` as never })}
        empty={
          Object.keys(query).length === 0 ? (
            <Empty
              title="No connections yet"
              text="A connection is an account that a customer connected. Connect a test account:"
              command={`mortise connect test-customer --provider hubspot --project ${project}`}
            />
          ) : (
            <Empty
              title="No connection has these values"
              text="The provider and the refs must be exact. Clear a filter to see more."
            />
          )
        }
      />
    </Page>
  )
}
