import { useMemo } from 'react'
import { Button } from '../../parts/button.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { useFilters } from '../../parts/filters.tsx'
import { Card } from '../../parts/page.tsx'
import { RowLink } from '../../parts/row-link.tsx'
import { Empty } from '../../parts/states.tsx'
import { useCall, useList } from '../../session/data.ts'
import { useMay, useProjectRef } from '../../session/project.tsx'
import { ConnectionDialog, type DestinationConnection } from './destination-connection-dialog.tsx'
import type { Destination } from './destination-kinds.ts'
import { customerColumn, targetColumns, targetsHeight } from './target-columns.tsx'

/** Which destination each connection has. Those without one get the destination of their group. */
export function DestinationConnections({ destination }: { destination: Destination }) {
  const project = useProjectRef()
  const may = useMay('developer')
  const [filters, set] = useFilters()
  const list = useList('listDestinationConnections', { destination: destination.name })
  const { data: all } = useCall('listDestinations', {}, { staleMs: 30_000 })
  const columns = useMemo(
    (): Column<DestinationConnection>[] => [customerColumn, providerColumn, ...targetColumns(all)],
    [all],
  )
  const add = (
    <Button
      disabled={!may}
      title={may ? undefined : 'A developer can do this.'}
      onClick={() => set({ connection: undefined, add: 'connection', group: undefined })}
    >
      Add a connection
    </Button>
  )
  return (
    <Card flush title="Connections" actions={add}>
      <p className="muted small card-note">All other connections have the destination of their group.</p>
      {list.items?.length === 0 && !list.hasNextPage ? (
        <Empty
          title="No connection has its own destination"
          text="Add one for an account whose messages go to another endpoint than those of its customer."
          command={`mortise destination set-connection ${destination.name} CONNECTION DESTINATION --project ${project}`}
        />
      ) : (
        <DataTable
          label="Connections"
          columns={columns}
          list={list}
          keyOf={({ connectionId }) => connectionId}
          openKey={filters['connection']}
          onOpen={({ connectionId }) => set({ connection: connectionId, add: undefined, group: undefined })}
          height={targetsHeight}
          empty={null}
        />
      )}
      {(filters['add'] === 'connection' || filters['connection'] !== undefined) && (
        <ConnectionDialog
          key={filters['connection'] ?? ''}
          destination={destination}
          connections={list.items}
          connectionId={filters['connection']}
          onClose={() => set({ connection: undefined, add: undefined })}
        />
      )}
    </Card>
  )
}

const providerColumn: Column<DestinationConnection> = {
  id: 'connection',
  header: 'Connection',
  cell: ({ connectionId, provider }) => <Connection connectionId={connectionId} provider={provider} />,
}

function Connection({ connectionId, provider }: { connectionId: string; provider: string }) {
  return <RowLink to={`/${useProjectRef()}/connections/${connectionId}`}>{provider}</RowLink>
}
