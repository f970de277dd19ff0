import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Button } from '../../parts/button.tsx'
import { type Column, DataTable, whole } from '../../parts/data-table.tsx'
import { FilterBar, useFilters } from '../../parts/filters.tsx'
import { count } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { ProjectLink } from '../../parts/project-links.tsx'
import { SavedViews } from '../../parts/saved-views.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status, Tag, words } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useCall } from '../../session/data.ts'
import { useMay, useProjectRef } from '../../session/project.tsx'
import { DestinationForm } from './destination-form.tsx'
import { type Destination, kindOf, kinds, reasonOf } from './destination-kinds.ts'
import './destinations.css'

const overviewMs = 10_000

interface Row {
  name: string
  destination?: Destination
  waiting?: number
  capped?: boolean
  oldestTime?: string
}

export default function DestinationsPage() {
  const project = useProjectRef()
  const navigate = useNavigate()
  const may = useMay('developer')
  const [filters, set] = useFilters()
  const list = useCall('listDestinations', {})
  const overview = useCall('getOverview', {}, { everyMs: overviewMs })
  const rows = useMemo(
    () => rowsOf(list.data, overview.data?.backlog.destinations ?? [], filters),
    [list.data, overview.data, filters],
  )
  const create = (
    <Button
      look="primary"
      disabled={!may}
      title={may ? undefined : 'A developer can do this.'}
      onClick={() => set({ new: 'webhook' })}
    >
      Create destination
    </Button>
  )
  return (
    <Page
      title="Destinations"
      about="Where messages go: records that are read, and notifications."
      actions={
        <>
          <SavedViews list="destinations" />
          {create}
        </>
      }
      fills
    >
      <FilterBar
        filters={[
          {
            name: 'status',
            label: 'State',
            choices: ['active', 'failing', 'disabled', 'missing'].map((value) => ({ value, label: words(value) })),
          },
          {
            name: 'type',
            label: 'Kind',
            choices: Object.entries(kinds).map(([value, { label }]) => ({ value, label })),
          },
          { name: 'name', label: 'Name', kind: 'text' },
        ]}
      />
      <DataTable
        label="Destinations"
        columns={columns}
        list={whole(rows, list)}
        keyOf={({ name }) => name}
        onOpen={({ name, destination }) =>
          destination && void navigate({ to: `/${project}/destinations/${encodeURIComponent(name)}` as never })
        }
        empty={
          (list.data?.length ?? 0) > 0 ? (
            <Empty title="No destination matches" text="Remove a filter." />
          ) : (
            <Empty
              title="No destinations yet"
              text="A destination is an endpoint of yours. Manifests and notifications name it. Messages for a name that does not exist wait."
              command={`mortise create destination NAME https://example.com/webhooks --project ${project}`}
              action={create}
            />
          )
        }
      />
      {filters['new'] !== undefined && (
        <DestinationForm
          name={filters['newName']}
          onClose={() => set({ new: undefined, newName: undefined })}
          onDone={({ name }) => void navigate({ to: `/${project}/destinations/${encodeURIComponent(name)}` as never })}
        />
      )}
    </Page>
  )
}

interface Backlog {
  destinationName: string
  destinationId?: string
  waiting: { count: number; capped: boolean }
  oldestTime?: string
}

/** Destinations, and names for which messages wait without one. */
function rowsOf(list: Destination[] | undefined, backlog: Backlog[], filters: Record<string, string>) {
  if (!list) return undefined
  const known = new Set(list.map(({ name }) => name))
  const all: Row[] = [
    ...backlog
      .filter(({ destinationName }) => !known.has(destinationName))
      .map((one) => ({ name: one.destinationName })),
    ...list.map((destination) => ({ name: destination.name, destination })),
  ]
  return all
    .map((row): Row => {
      const waits = backlog.find(({ destinationName }) => destinationName === row.name)
      return waits
        ? {
            ...row,
            waiting: waits.waiting.count,
            capped: waits.waiting.capped,
            ...(waits.oldestTime !== undefined && { oldestTime: waits.oldestTime }),
          }
        : row
    })
    .filter(
      ({ name, destination }) =>
        (filters['status'] === undefined || (destination?.status ?? 'missing') === filters['status']) &&
        (filters['type'] === undefined || destination?.type === filters['type']) &&
        (filters['name'] === undefined || name.toLowerCase().includes(filters['name'].toLowerCase())),
    )
}

function NameCell({ row }: { row: Row }) {
  const project = useProjectRef()
  if (!row.destination)
    return (
      <Link to={`/${project}/destinations` as never} search={{ new: 'webhook', newName: row.name } as never}>
        Create {row.name}
      </Link>
    )
  return <Link to={`/${project}/destinations/${encodeURIComponent(row.name)}` as never}>{row.name}</Link>
}

/** From this number on, the service counts no further. */
const counted = 1_000

function DeadLetterCount({ name, count: found }: { name: string; count: number }) {
  if (found === 0) return '–'
  return (
    <ProjectLink path="dead-letters" search={{ destination: name }}>
      {count(found)}
      {found < counted ? '' : '+'}
    </ProjectLink>
  )
}

const columns: Column<Row>[] = [
  { id: 'name', header: 'Destination', width: 220, cell: (row) => <NameCell row={row} /> },
  {
    id: 'state',
    header: 'State',
    least: 215,
    cell: ({ destination }) =>
      destination ? (
        <Status state={destination.status} reason={reasonOf(destination)} />
      ) : (
        <Status state="failing" label="Missing" reason="Messages wait for a destination of this name." />
      ),
  },
  {
    id: 'kind',
    header: 'Kind',
    width: 120,
    cell: ({ destination }) => (destination ? <Tag>{kindOf(destination.type)}</Tag> : '–'),
  },
  {
    id: 'where',
    header: 'Address',
    width: 280,
    least: 160,
    cell: ({ destination }) => <code title={destination?.endpoint}>{destination?.endpoint ?? '–'}</code>,
  },
  {
    id: 'waiting',
    header: 'Waiting',
    width: 90,
    align: 'right',
    cell: ({ waiting, capped }) => (waiting === undefined ? '–' : `${count(waiting)}${capped ? '+' : ''}`),
  },
  {
    id: 'oldest',
    header: 'Oldest',
    width: 90,
    align: 'right',
    cell: ({ oldestTime }) => <Time at={oldestTime} />,
  },
  {
    id: 'deadLetters',
    header: 'Dead letters',
    width: 110,
    align: 'right',
    cell: ({ name, destination }) => <DeadLetterCount name={name} count={destination?.deadLetterCount ?? 0} />,
  },
  {
    id: 'created',
    header: 'Created',
    width: 110,
    align: 'right',
    hidden: true,
    cell: ({ destination }) => <Time at={destination?.createTime} />,
  },
]
