import { useMemo } from 'react'
import { Button } from '../../parts/button.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { useFilters } from '../../parts/filters.tsx'
import { DestinationName } from '../../parts/names.tsx'
import { Card } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { RowLink } from '../../parts/row-link.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useCall, useList } from '../../session/data.ts'
import { useMay, useProjectRef } from '../../session/project.tsx'
import { type DestinationGroup, GroupDialog } from './destination-group-dialog.tsx'
import type { Destination } from './destination-kinds.ts'

const headHeight = 84
const rowHeight = 36
const rowsShown = 10

/** Which destination each group has. Those without one get the default. */
export function DestinationGroups({ destination }: { destination: Destination }) {
  const may = useMay('developer')
  const [filters, set] = useFilters()
  const list = useList('listDestinationGroups', { destination: destination.name })
  const all = useCall('listDestinations', {}, { staleMs: 30_000 })
  const columns = useMemo(() => columnsWith(all.data), [all.data])
  const fallback = destination.metadata['default']
  const add = (
    <Button
      disabled={!may}
      title={may ? undefined : 'A developer can do this.'}
      onClick={() => set({ group: undefined, add: '1' })}
    >
      Add a group
    </Button>
  )
  const rows = Math.min(rowsShown, Math.max(list.items?.length ?? rowsShown, 1))
  return (
    <Card flush title="Groups" actions={add}>
      <p className="muted small card-note">
        {typeof fallback === 'string' && fallback !== ''
          ? `All other groups have ${fallback}.`
          : 'Messages of all other groups become dead letters, because this destination has no default.'}
      </p>
      {list.items?.length === 0 && !list.hasNextPage ? (
        <Empty
          title="No group has its own destination"
          text="Add one for each customer that gets messages at its own endpoint."
          command={`mortise destination set-group ${destination.name} GROUP DESTINATION`}
        />
      ) : (
        <DataTable
          label="Groups"
          columns={columns}
          list={list}
          keyOf={({ groupRef }) => groupRef}
          openKey={filters['group']}
          onOpen={({ groupRef }) => set({ group: groupRef, add: undefined })}
          height={headHeight + rowHeight * rows}
          empty={null}
        />
      )}
      {(filters['add'] !== undefined || filters['group'] !== undefined) && (
        <GroupDialog
          key={filters['group'] ?? ''}
          destination={destination}
          groups={list.items}
          groupRef={filters['group']}
          onClose={() => set({ group: undefined, add: undefined })}
        />
      )}
    </Card>
  )
}

function columnsWith(destinations: Destination[] | undefined): Column<DestinationGroup>[] {
  const byName = new Map(destinations?.map((one) => [one.name, one]))
  const isMissing = (name: string) => destinations !== undefined && !byName.has(name)
  return [
    { id: 'group', header: 'Customer', cell: ({ groupRef }) => <Customer groupRef={groupRef} /> },
    {
      id: 'destination',
      header: 'Destination',
      cell: ({ destinationName: name }) => <DestinationName name={name} missing={isMissing(name)} />,
    },
    {
      id: 'state',
      header: 'State',
      width: 150,
      cell: ({ destinationName: name }) => {
        const target = byName.get(name)
        if (target) return <Status state={target.status} />
        return isMissing(name) ? <Status state="error" label="Does not exist" /> : <span className="muted">…</span>
      },
    },
    {
      id: 'changed',
      header: 'Changed',
      width: 110,
      align: 'right',
      cell: ({ updateTime, createTime }) => <Time at={updateTime ?? createTime} />,
    },
  ]
}

function Customer({ groupRef }: { groupRef: string }) {
  return <RowLink to={`/${useProjectRef()}/${paths.customer(groupRef)}`}>{groupRef}</RowLink>
}
