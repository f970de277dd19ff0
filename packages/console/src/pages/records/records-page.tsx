import type { Output } from '@mortise/client'
import { useParams } from '@tanstack/react-router'
import { Button } from '../../parts/button.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Panel } from '../../parts/dialog.tsx'
import { FilterBar, type FilterDeclaration, useFilters } from '../../parts/filters.tsx'
import { counted } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { pageSize, useCall } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'
import { type Search, useSearchPages } from '../../session/search-pages.ts'
import { client } from '../../session/session.ts'
import { type Destination, kindOf, reasonOf } from '../destinations/destination-kinds.ts'
import { DestinationTabs } from '../destinations/destination-tabs.tsx'
import { keyOfRecord, type StoredRecord } from './record.ts'
import { recordColumns } from './record-columns.tsx'
import { RecordPanel } from './record-panel.tsx'
import '../operations/operations.css'

type RecordPage = Output<'listRecords'>

/** What a destination of type `records` stores: the same records that your product requests. */
export default function RecordsPage() {
  const project = useProjectRef()
  const { destination: ref = '' } = useParams({ strict: false }) as { destination?: string }
  const query = useCall('getDestination', { destination: ref })
  const destination = query.data
  return (
    <Page
      title={destination?.name ?? ref}
      parents={[{ label: 'Destinations', to: `/${project}/destinations` }]}
      state={destination && <Status state={destination.status} reason={reasonOf(destination)} />}
      about={destination && `${kindOf(destination.type)}. Those that changed longest ago come first.`}
      tabs={destination?.type === 'records' && <DestinationTabs name={destination.name} />}
      fills
    >
      <Loaded query={query} lines={8}>
        {(found) =>
          found.type === 'records' ? (
            <Objects destination={found} />
          ) : (
            <Empty
              title="This destination stores no records"
              text="Only destinations of the kind Records do. Others pass messages on."
            />
          )
        }
      </Loaded>
    </Page>
  )
}

function Objects({ destination: { name } }: { destination: Destination }) {
  const project = useProjectRef()
  const query = useCall('listRecordObjects', {})
  return (
    <Loaded query={query} lines={8}>
      {(all) => {
        const names = all.filter(({ destinationName }) => destinationName === name).map(({ objectName }) => objectName)
        return names.length > 0 ? (
          <Records destination={name} objects={names} />
        ) : (
          <Empty
            title="No records yet"
            text="Name this destination for an object in your manifest. Its next read fills it. For records that other destinations have already, resend them:"
            command={`mortise resend ${name} --project ${project}`}
          />
        )
      }}
    </Loaded>
  )
}

function Records({ destination, objects }: { destination: string; objects: string[] }) {
  const [filters, set] = useFilters()
  const { groupRef, modifiedAfter, open } = filters
  const objectName = objects.find((name) => name === filters['object']) ?? objects[0] ?? ''
  const query = {
    destination,
    ...(groupRef !== undefined && { groupRef }),
    ...(modifiedAfter !== undefined && { modifiedAfter }),
    ...(filters['deleted'] === 'hide' && { includeDeleted: false }),
  }
  const isFiltered = Object.keys(query).length > 1
  const list = useRecords(objectName, query)
  const cleared = { groupRef: undefined, modifiedAfter: undefined, deleted: undefined }
  return (
    <>
      <FilterBar filters={declaredFilters(objects)} />
      <FoundLittle list={list} />
      <DataTable
        key={objectName}
        label="Records"
        columns={recordColumns}
        list={list}
        keyOf={keyOfRecord}
        openKey={open}
        onOpen={(record) => set({ open: keyOfRecord(record) })}
        empty={
          <Empty
            title={isFiltered ? 'No record matches' : `No records of ${objectName}`}
            text={isFiltered ? 'Remove a filter, or choose an earlier time.' : 'They were erased, or have expired.'}
            action={isFiltered && <Button onClick={() => set(cleared)}>Clear the filters</Button>}
          />
        }
      />
      <Panel open={open !== undefined} onClose={() => set({ open: undefined })} title="Record">
        {open !== undefined && list.items !== undefined && (
          <RecordPanel record={list.items.find((record) => keyOfRecord(record) === open)} />
        )}
      </Panel>
    </>
  )
}

type RecordQuery = { destination: string; groupRef?: string; modifiedAfter?: string; includeDeleted?: boolean }

function useRecords(objectName: string, query: RecordQuery): Search<StoredRecord, RecordPage> {
  const projectIdOrName = useProjectRef()
  return useSearchPages(['listRecords', { projectIdOrName, objectName, query }], (pageToken, signal) =>
    client.listRecords(
      { projectIdOrName, objectName, query: { ...query, pageSize, ...(pageToken !== undefined && { pageToken }) } },
      { signal },
    ),
  )
}

/** Filters that fit few of many records: the service examines them page by page. */
function FoundLittle({ list }: { list: Search<StoredRecord, RecordPage> }) {
  if (!list.stopped) return null
  return (
    <div className="examined row small" role="status">
      <span>
        {counted(list.items?.length ?? 0, 'record')} so far. More may match among those that changed later. A customer
        or a time as a filter finds them faster.
      </span>
      <Button onClick={list.goOn}>Continue</Button>
    </div>
  )
}

function declaredFilters(objects: string[]): FilterDeclaration[] {
  const choices = objects.map((name) => ({ value: name, label: name }))
  return [
    { name: 'object', label: 'Object', required: true, choices },
    { name: 'groupRef', label: 'Customer', kind: 'text' },
    { name: 'deleted', label: 'Deleted', choices: [{ value: 'hide', label: 'not shown' }] },
    { name: 'modifiedAfter', label: 'Changed since', kind: 'time' },
  ]
}
