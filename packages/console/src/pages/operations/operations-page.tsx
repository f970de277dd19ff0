import { useMemo } from 'react'
import { Button } from '../../parts/button.tsx'
import { Id } from '../../parts/copy-button.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Panel } from '../../parts/dialog.tsx'
import { ExportMenu } from '../../parts/export-menu.tsx'
import type { Choice } from '../../parts/fields.tsx'
import { FilterBar, type FilterDeclaration, useFilters } from '../../parts/filters.tsx'
import { IntegrationName, RowCustomer } from '../../parts/names.tsx'
import { count } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { SavedViews } from '../../parts/saved-views.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status, Tag, words } from '../../parts/status.tsx'
import { duration, Time } from '../../parts/time.tsx'
import { useCall } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'
import { OperationLink } from './operation-link.tsx'
import { OperationPanel } from './operation-panel.tsx'
import {
  agentOf,
  durationOf,
  type FoundOperations,
  type Operation,
  queryOf,
  recordsOf,
  resultOf,
  titleOfOperation,
  useOperations,
} from './use-operations.ts'
import './operations.css'

export default function OperationsPage() {
  const project = useProjectRef()
  const [filters, set] = useFilters()
  const query = queryOf(filters)
  const list = useOperations(query)
  const declared = useDeclaredFilters()
  const isFiltered = Object.keys(query).length > 0
  return (
    <Page
      title="Operations"
      about="Every read, write, subscription and tool call of all installations, newest first."
      actions={
        <>
          <SavedViews list="operations" />
          <ExportMenu id="searchOperations" input={{ query } as never} name="operations" />
        </>
      }
      fills
    >
      <FilterBar filters={declared} />
      <Examined list={list} />
      <DataTable
        label="Operations"
        columns={columns}
        list={list}
        keyOf={({ id }) => id}
        openKey={filters['open']}
        onOpen={({ id }) => set({ open: id })}
        empty={
          isFiltered ? (
            <Empty
              title="No operation matches"
              text="Remove a filter, or choose a longer time. The service keeps operations for its retention time."
              action={<Button onClick={() => set(cleared(query))}>Clear the filters</Button>}
            />
          ) : (
            <Empty
              title="No operations yet"
              text="Each read and write appears here. Start with a read of an installation that you have:"
              command={`mortise read INTEGRATION OBJECT --group CUSTOMER --project ${project}`}
            />
          )
        }
      />
      <Panel open={filters['open'] !== undefined} onClose={() => set({ open: undefined })} title="Operation">
        {filters['open'] !== undefined && <OperationPanel key={filters['open']} operationId={filters['open']} />}
      </Panel>
    </Page>
  )
}

const cleared = (query: Record<string, string>) =>
  Object.fromEntries(Object.keys(query).map((name) => [name, undefined]))

/** How far a search is that finds little. */
function Examined({ list }: { list: FoundOperations }) {
  // A page that is full has no such time: the search found what it needed.
  const examinedTime = list.lastPage?.examinedTime
  if (examinedTime === undefined) return null
  return (
    <div className="examined row small" role="status">
      <span>
        {list.stopped ? 'Searched back to ' : 'Searching; so far back to '}
        <Time at={examinedTime} format="absolute" />.{list.stopped && ' Older operations may match too.'}
      </span>
      {list.stopped && <Button onClick={list.goOn}>Search further back</Button>}
    </div>
  )
}

const choicesOf = (values: string[]): Choice[] => values.map((value) => ({ value, label: words(value) }))

function useDeclaredFilters(): FilterDeclaration[] {
  const { data } = useCall('listIntegrations', {}, { staleMs: 600_000 })
  return useMemo(
    () => [
      { name: 'status', label: 'Status', choices: choicesOf(['in_progress', 'success', 'failure']) },
      { name: 'actionType', label: 'Kind', choices: choicesOf(['read', 'write', 'subscribe', 'proxy', 'tool']) },
      { name: 'readType', label: 'Read', choices: choicesOf(['backfill', 'scheduled', 'triggered']) },
      {
        name: 'integrationId',
        label: 'Integration',
        choices: data?.map(({ id, name }) => ({ value: id, label: name })) ?? [],
      },
      { name: 'groupRef', label: 'Customer', kind: 'text' },
      { name: 'objectName', label: 'Object', kind: 'text' },
      { name: 'installationId', label: 'Installation id', kind: 'text' },
      { name: 'createdAfter', label: 'From', kind: 'time' },
      { name: 'createdBefore', label: 'To', kind: 'time' },
    ],
    [data],
  )
}

const columns: Column<Operation>[] = [
  {
    id: 'what',
    header: 'Operation',
    width: 260,
    least: 225,
    cell: (operation) => <OperationLink id={operation.id}>{titleOfOperation(operation)}</OperationLink>,
  },
  { id: 'status', header: 'Status', width: 110, cell: ({ status }) => <Status state={status} /> },
  {
    id: 'customer',
    header: 'Customer',
    width: 150,
    least: 120,
    cell: ({ installationId, integrationId, groupRef }) => (
      <RowCustomer {...{ installationId, integrationId, groupRef }} />
    ),
  },
  {
    id: 'integration',
    header: 'Integration',
    width: 130,
    least: 110,
    cell: ({ integrationId }) => <IntegrationName integrationId={integrationId} />,
  },
  { id: 'result', header: 'Result', cell: (one) => <span title={resultOf(one)}>{resultOf(one) ?? '–'}</span> },
  {
    id: 'records',
    header: 'Records',
    width: 75,
    align: 'right',
    cell: (one) => {
      const records = recordsOf(one)
      return records === undefined ? '–' : count(records)
    },
  },
  {
    id: 'duration',
    header: 'Took',
    width: 75,
    align: 'right',
    cell: (one) => {
      const ms = durationOf(one)
      return ms === undefined ? '–' : duration(ms)
    },
  },
  { id: 'began', header: 'Began', width: 95, align: 'right', cell: ({ createTime }) => <Time at={createTime} /> },
  {
    id: 'agent',
    header: 'Agent',
    width: 130,
    hidden: true,
    cell: (one) => agentOf(one) ?? <span className="muted">–</span>,
  },
  { id: 'kind', header: 'Kind', width: 100, hidden: true, cell: ({ actionType }) => <Tag>{actionType}</Tag> },
  { id: 'id', header: 'Id', width: 160, hidden: true, cell: ({ id }) => <Id id={id} /> },
]
