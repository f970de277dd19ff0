import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Id } from '../../parts/copy-button.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { ExportMenu } from '../../parts/export-menu.tsx'
import { FilterBar, useFilters } from '../../parts/filters.tsx'
import { useIntegrationChoices, useIntegrationName } from '../../parts/integrations.ts'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { ConnectionLink, CustomerLink, ProjectLink } from '../../parts/project-links.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useList } from '../../session/data.ts'
import { useMay, useProjectRef } from '../../session/project.tsx'
import { BulkActions } from './bulk-actions.tsx'
import type { Installation } from './types.ts'

const healthChoices = [
  { value: 'unhealthy', label: 'Unhealthy' },
  { value: 'healthy', label: 'Healthy' },
]

function columnsWith(nameOf: (id: string) => string): Column<Installation>[] {
  return [
    {
      id: 'customer',
      header: 'Installation',
      least: 220,
      cell: ({ id, integrationId, group }) => (
        <ProjectLink path={paths.installation(integrationId, id)} className="pair">
          <span>{group.groupName || group.groupRef}</span>
          <span>&nbsp;· {nameOf(integrationId)}</span>
        </ProjectLink>
      ),
    },
    {
      id: 'health',
      header: 'Health',
      cell: ({ healthStatus, healthReasons }) => <Status state={healthStatus} reason={healthReasons?.join(' ')} />,
      width: 260,
    },
    { id: 'group', header: 'Customer', cell: ({ group }) => <CustomerLink {...group} />, width: 160, hidden: true },
    {
      id: 'connection',
      header: 'Connection',
      cell: ({ connection: { id, provider } }) => <ConnectionLink id={id}>{provider}</ConnectionLink>,
      width: 140,
    },
    {
      id: 'operation',
      header: 'Last operation',
      cell: ({ lastOperationStatus }) =>
        lastOperationStatus ? <Status state={lastOperationStatus} /> : <span className="muted">None yet</span>,
      width: 130,
    },
    { id: 'created', header: 'Installed', cell: ({ createTime }) => <Time at={createTime} />, width: 110 },
    { id: 'updated', header: 'Changed', cell: ({ updateTime }) => <Time at={updateTime} />, width: 110, hidden: true },
    { id: 'id', header: 'Id', cell: ({ id }) => <Id id={id} />, width: 170, hidden: true },
  ]
}

/** Integrations that customers installed, with their health. */
export default function InstallationsPage() {
  const project = useProjectRef()
  const navigate = useNavigate()
  const nameOf = useIntegrationName()
  const choices = useIntegrationChoices()
  const mayRun = useMay('operator')
  const [{ integrationId, healthStatus, groupRef, connectionId }] = useFilters()
  const health = healthChoices.find(({ value }) => value === healthStatus)?.value
  const query = Object.fromEntries(
    Object.entries({ integrationId, healthStatus: health, groupRef, connectionId }).filter(([, value]) => value),
  )
  const list = useList('listInstallationsForProject', { query } as never)
  const columns = useMemo(() => columnsWith(nameOf), [nameOf])
  return (
    <Page title="Installations" about="An installation reads and writes for one customer." fills>
      <FilterBar
        filters={[
          { name: 'healthStatus', label: 'Health', choices: healthChoices },
          { name: 'integrationId', label: 'Integration', choices },
          { name: 'groupRef', label: 'Customer (ref)', kind: 'text' },
          ...(connectionId === undefined
            ? []
            : [{ name: 'connectionId', label: 'Connection (id)', kind: 'text' as const }]),
        ]}
      >
        <ExportMenu id="listInstallationsForProject" input={{ query } as never} name="installations" />
      </FilterBar>
      <DataTable
        label="Installations"
        columns={columns}
        list={list}
        keyOf={({ id }) => id}
        onOpen={({ integrationId, id }) =>
          navigate({ to: `/${project}/${paths.installation(integrationId, id)}` as never })
        }
        {...(mayRun && {
          bulk: (items: Installation[], clear: () => void) => <BulkActions items={items} onDone={clear} />,
        })}
        empty={
          Object.keys(query).length > 0 ? (
            <Empty
              title="No installation has these values"
              text="A customer’s ref must be exact. Clear a filter to see more."
            />
          ) : (
            <Empty
              title="No installations yet"
              text="An installation appears when a customer installs an integration. Install one for a test customer:"
              command={`mortise install ${choices[0]?.label ?? 'my-integration'} --group test-customer --project ${project}`}
            />
          )
        }
      />
    </Page>
  )
}
