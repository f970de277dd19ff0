import type { Column } from '../../parts/data-table.tsx'
import { paths } from '../../parts/paths.ts'
import { RowLink } from '../../parts/row-link.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useProjectRef } from '../../session/project.tsx'
import { type StoredRecord, summaryOf } from './record.ts'

export const recordColumns: Column<StoredRecord>[] = [
  { id: 'id', header: 'Record', width: 170, cell: ({ id }) => <code title={id}>{id}</code> },
  {
    id: 'state',
    header: 'State',
    width: 90,
    cell: ({ deletedTime }) =>
      deletedTime === undefined ? <Status state="active" label="Exists" /> : <Status state="deleted" />,
  },
  { id: 'customer', header: 'Customer', width: 150, cell: ({ groupRef }) => <Customer groupRef={groupRef} /> },
  { id: 'fields', header: 'Fields', cell: (record) => <span className="muted">{summaryOf(record) || '–'}</span> },
  {
    id: 'changed',
    header: 'Changed',
    width: 110,
    align: 'right',
    cell: ({ modifiedTime }) => <Time at={modifiedTime} />,
  },
  { id: 'read', header: 'Read', width: 110, align: 'right', cell: ({ readTime }) => <Time at={readTime} /> },
]

function Customer({ groupRef }: { groupRef: string }) {
  return <RowLink to={`/${useProjectRef()}/${paths.customer(groupRef)}`}>{groupRef}</RowLink>
}
