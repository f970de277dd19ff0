import type { Item } from '@mortise/client'
import { useNavigate } from '@tanstack/react-router'
import { Id } from '../../parts/copy-button.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { FilterBar, useFilters } from '../../parts/filters.tsx'
import { paths } from '../../parts/paths.ts'
import { ProjectLink } from '../../parts/project-links.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status, words } from '../../parts/status.tsx'
import { duration, Time } from '../../parts/time.tsx'
import { useList } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'

type Operation = Item<'searchOperations'>

function whatItDoes({ readType, actionType, resource }: Operation): string {
  const action =
    actionType === 'read' && readType ? `${readType} ${readType === 'backfill' ? '' : 'read'}`.trim() : actionType
  return words(resource === undefined ? action : `${action} of ${resource}`)
}

const columns: Column<Operation>[] = [
  {
    id: 'operation',
    header: 'Operation',
    cell: (operation) => <ProjectLink path={paths.operation(operation.id)}>{whatItDoes(operation)}</ProjectLink>,
    width: 240,
  },
  {
    id: 'status',
    header: 'Status',
    cell: ({ status, result }) => <Status state={status} reason={result?.replace(/^\[[^\]]*\] /, '')} />,
  },
  { id: 'created', header: 'Started', cell: ({ createTime }) => <Time at={createTime} />, width: 120 },
  {
    id: 'took',
    header: 'Took',
    align: 'right',
    cell: ({ status, createTime, updateTime }) =>
      status === 'in_progress' || updateTime === undefined
        ? '–'
        : duration(Date.parse(updateTime) - Date.parse(createTime)),
    width: 110,
  },
  { id: 'id', header: 'Id', cell: ({ id }) => <Id id={id} />, width: 170, hidden: true },
]

const choices = (values: string[]) => values.map((value) => ({ value, label: words(value) }))

/** Reads and writes of one installation, newest first. */
export function OperationsTab({ installationId }: { installationId: string }) {
  const project = useProjectRef()
  const navigate = useNavigate()
  const [{ status, readType, actionType, objectName }] = useFilters()
  const filters = Object.fromEntries(
    Object.entries({ status, readType, actionType, objectName }).filter(([, value]) => value),
  )
  const list = useList('searchOperations', { query: { installationId, ...filters } } as never)
  return (
    <>
      <FilterBar
        filters={[
          { name: 'status', label: 'Status', choices: choices(['failure', 'in_progress', 'success']) },
          { name: 'actionType', label: 'Action', choices: choices(['read', 'write', 'subscribe', 'proxy', 'tool']) },
          { name: 'readType', label: 'Read', choices: choices(['scheduled', 'backfill', 'triggered']) },
          { name: 'objectName', label: 'Object', kind: 'text' },
        ]}
      >
        <ProjectLink path="operations" search={{ installationId, ...filters }}>
          All operations
        </ProjectLink>
      </FilterBar>
      <DataTable
        label="Operations"
        columns={columns}
        list={list}
        keyOf={({ id }) => id}
        onOpen={({ id }) => navigate({ to: `/${project}/${paths.operation(id)}` as never })}
        empty={
          Object.keys(filters).length > 0 ? (
            <Empty title="No operation has these values" text="Clear a filter to see more." />
          ) : (
            <Empty
              title="No operations yet"
              text="Each backfill, each read that finds something and each write is an operation."
            />
          )
        }
      />
    </>
  )
}
