import type { Column } from '../../parts/data-table.tsx'
import { DestinationName } from '../../parts/names.tsx'
import { paths } from '../../parts/paths.ts'
import { RowLink } from '../../parts/row-link.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useProjectRef } from '../../session/project.tsx'
import type { Destination } from './destination-kinds.ts'

/** What a group or a connection has in a destination of type `by-group`. */
interface Target {
  groupRef: string
  destinationName: string
  createTime: string
  updateTime?: string
}

/** The height of a list of ten targets. */
export const targetsHeight = 444

/** The customer of a row. */
export const customerColumn: Column<Target> = {
  id: 'group',
  header: 'Customer',
  cell: ({ groupRef }) => <Customer groupRef={groupRef} />,
}

/** The destination of a row, its state, and when it was set. */
export function targetColumns(destinations: Destination[] | undefined): Column<Target>[] {
  const byName = new Map(destinations?.map((one) => [one.name, one]))
  const isMissing = (name: string) => destinations !== undefined && !byName.has(name)
  return [
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
