import type { Item } from '@mortise/client'
import { Link, useNavigate } from '@tanstack/react-router'
import { Id } from '../../parts/copy-button.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { FilterBar, useFilters } from '../../parts/filters.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useList } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'
import type { Integration } from './manifest.ts'

type Installation = Item<'listInstallationsForProject'>

/** Who has installed it. */
export function UsedByTab({ integration }: { integration: Integration }) {
  const project = useProjectRef()
  const navigate = useNavigate()
  const [{ healthStatus }] = useFilters()
  const health = healthStatus === 'healthy' || healthStatus === 'unhealthy' ? healthStatus : undefined
  const list = useList('listInstallationsForProject', {
    query: { integrationId: integration.id, ...(health && { healthStatus: health }) },
  })
  const pathOf = ({ id }: Installation) => `/${project}/installations/${integration.id}/${id}`
  return (
    <>
      <FilterBar
        filters={[
          {
            name: 'healthStatus',
            label: 'Health',
            choices: [
              { value: 'healthy', label: 'Healthy' },
              { value: 'unhealthy', label: 'Unhealthy' },
            ],
          },
        ]}
      />
      <DataTable
        label="Installations of this integration"
        height={480}
        list={list}
        keyOf={({ id }) => id}
        onOpen={(one) => navigate({ to: pathOf(one) as never })}
        columns={[
          {
            id: 'customer',
            header: 'Customer',
            cell: (one: Installation) => (
              <Link to={pathOf(one) as never}>{one.group?.groupName || one.group?.groupRef || one.id}</Link>
            ),
          },
          {
            id: 'health',
            header: 'Health',
            width: 130,
            cell: ({ healthStatus }: Installation) => <Status state={healthStatus} />,
          },
          {
            id: 'connection',
            header: 'Connection',
            width: 170,
            cell: ({ connection }: Installation) => <Id id={connection.id} />,
          },
          {
            id: 'installed',
            header: 'Installed',
            width: 120,
            cell: ({ createTime }: Installation) => <Time at={createTime} />,
          },
          { id: 'id', header: 'Installation', width: 170, cell: ({ id }: Installation) => <Id id={id} /> },
        ]}
        empty={
          <Empty
            title={health ? 'No installation matches' : 'Nobody has installed it'}
            text="A customer installs it with the connect components of your product, or your server through the API."
          />
        }
      />
    </>
  )
}
