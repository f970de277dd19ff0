import { useMemo } from 'react'
import { Button } from '../../parts/button.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { useFilters } from '../../parts/filters.tsx'
import { Card } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { useCall, useList } from '../../session/data.ts'
import { useMay, useProjectRef } from '../../session/project.tsx'
import { type DestinationGroup, GroupDialog } from './destination-group-dialog.tsx'
import type { Destination } from './destination-kinds.ts'
import { customerColumn, targetColumns, targetsHeight } from './target-columns.tsx'

/** Which destination each group has. Those without one get the default. */
export function DestinationGroups({ destination }: { destination: Destination }) {
  const project = useProjectRef()
  const may = useMay('developer')
  const [filters, set] = useFilters()
  const list = useList('listDestinationGroups', { destination: destination.name })
  const { data: all } = useCall('listDestinations', {}, { staleMs: 30_000 })
  const columns = useMemo((): Column<DestinationGroup>[] => [customerColumn, ...targetColumns(all)], [all])
  const fallback = destination.metadata['default']
  const add = (
    <Button
      disabled={!may}
      title={may ? undefined : 'A developer can do this.'}
      onClick={() => set({ group: undefined, add: 'group', connection: undefined })}
    >
      Add a group
    </Button>
  )
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
          command={`mortise destination set-group ${destination.name} GROUP DESTINATION --project ${project}`}
        />
      ) : (
        <DataTable
          label="Groups"
          columns={columns}
          list={list}
          keyOf={({ groupRef }) => groupRef}
          openKey={filters['group']}
          onOpen={({ groupRef }) => set({ group: groupRef, add: undefined, connection: undefined })}
          height={targetsHeight}
          empty={null}
        />
      )}
      {(filters['add'] === 'group' || filters['group'] !== undefined) && (
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
