import { useMemo } from 'react'
import { type Column, DataTable, whole } from '../../parts/data-table.tsx'
import { RowCustomer } from '../../parts/names.tsx'
import { count } from '../../parts/numbers.ts'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { NothingWatched } from './nothing-watched.tsx'
import { type Installation, type Of, type SchemaWatch, useWatches } from './use-changes.ts'

/** When the fields of each object were checked, and what a check failed on. */
export function WatchList({
  installations,
  objectName,
}: {
  installations: Installation[]
  objectName: string | undefined
}) {
  const answer = useWatches(installations, objectName, true)
  const { items, isPending } = answer
  const list = useMemo(() => (isPending && items.length === 0 ? undefined : items), [isPending, items])
  return (
    <DataTable
      label="Checks"
      columns={columns}
      list={whole(list, answer)}
      keyOf={({ installation, item }) => `${installation.id} ${item.objectName}`}
      height={640}
      empty={<NothingWatched />}
    />
  )
}

const columns: Column<Of<SchemaWatch>>[] = [
  { id: 'object', header: 'Object', width: 180, cell: ({ item }) => item.objectName },
  {
    id: 'state',
    header: 'Last check',
    cell: ({ item }) =>
      item.error !== undefined ? (
        <Status state="failed" reason={item.error} />
      ) : (
        <Status
          state={item.checkTime === undefined ? 'waiting' : 'success'}
          label={item.checkTime === undefined ? 'Not checked yet' : 'Checked'}
        />
      ),
  },
  {
    id: 'customer',
    header: 'Customer',
    width: 160,
    cell: ({ installation }) => (
      <RowCustomer
        installationId={installation.id}
        integrationId={installation.integrationId}
        groupRef={installation.group.groupRef}
      />
    ),
  },
  {
    id: 'fields',
    header: 'Fields',
    width: 80,
    align: 'right',
    cell: ({ item }) => (item.fieldCount === undefined ? '–' : count(item.fieldCount)),
  },
  { id: 'schedule', header: 'Schedule (UTC)', width: 130, cell: ({ item }) => <code>{item.schedule}</code> },
  { id: 'last', header: 'Checked', width: 110, align: 'right', cell: ({ item }) => <Time at={item.checkTime} /> },
  { id: 'next', header: 'Next', width: 110, align: 'right', cell: ({ item }) => <Time at={item.nextCheckTime} /> },
]
