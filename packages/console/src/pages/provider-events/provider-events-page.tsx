import type { Output } from '@mortise/client'
import { useMemo } from 'react'
import { Button } from '../../parts/button.tsx'
import { Id } from '../../parts/copy-button.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Panel } from '../../parts/dialog.tsx'
import { ExportMenu } from '../../parts/export-menu.tsx'
import { FilterBar, type FilterDeclaration, useFilters } from '../../parts/filters.tsx'
import { IntegrationName, RowCustomer } from '../../parts/names.tsx'
import { bytes, count } from '../../parts/numbers.ts'
import { Facts, Page } from '../../parts/page.tsx'
import { SavedViews } from '../../parts/saved-views.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status, words } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useCall, useList } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'

type Event = Output<'listProviderEvents'>['results'][number]

const filterNames = ['outcome', 'provider', 'integrationId', 'installationId', 'startTime', 'endTime'] as const

const outcomes: Record<Event['outcome'], string> = {
  accepted: 'The events were stored.',
  handshake: 'The provider checked the URL.',
  duplicate: 'All events were known already.',
  unverified: 'The signature is not valid. Check the signing secret of the provider app.',
  unknown: 'No installation subscribes to events at this URL. The provider may still send events of a deleted one.',
  malformed: 'The body cannot be parsed.',
  busy: 'Too many events came at a time. The provider sends them again.',
  failed: 'The service could not store them. The provider sends them again.',
  dropped: 'Stored events that no installation wants.',
}

export default function ProviderEventsPage() {
  const project = useProjectRef()
  const [filters, set] = useFilters()
  const query = Object.fromEntries(
    filterNames.flatMap((name) => (filters[name] === undefined ? [] : [[name, filters[name]]])),
  )
  const list = useList('listProviderEvents', { query })
  const declared = useDeclaredFilters()
  const open = list.items?.find(({ id }) => id === filters['open'])
  return (
    <Page
      title="Provider events"
      about="What providers sent to the service: what was accepted, and what was not and why."
      actions={
        <>
          <SavedViews list="provider-events" />
          <ExportMenu id="listProviderEvents" input={{ query } as never} name="provider-events" />
        </>
      }
      fills
    >
      <FilterBar filters={declared} />
      <DataTable
        label="Provider events"
        columns={columns}
        list={list}
        keyOf={({ id }) => id}
        openKey={filters['open']}
        onOpen={({ id }) => set({ open: id })}
        empty={
          Object.keys(query).length > 0 ? (
            <Empty
              title="No event matches"
              text="Remove a filter, or choose a longer time."
              action={
                <Button onClick={() => set(Object.fromEntries(filterNames.map((name) => [name, undefined])))}>
                  Clear the filters
                </Button>
              }
            />
          ) : (
            <Empty
              title="No provider has sent events"
              text="Add subscribe to a manifest, deploy it, and install the integration. The events of its accounts then appear here."
              command={`mortise deploy --project ${project}`}
            />
          )
        }
      />
      <Panel open={filters['open'] !== undefined} onClose={() => set({ open: undefined })} title="Provider event">
        {open ? (
          <EventFacts event={open} />
        ) : (
          <p className="muted">This entry is not in the list. Remove filters, or scroll to it.</p>
        )}
      </Panel>
    </Page>
  )
}

function EventFacts({ event }: { event: Event }) {
  return (
    <>
      <div className="row">
        <h3 className="grow">{event.eventName ?? event.objectName ?? 'A request'}</h3>
        <Status state={event.outcome} />
      </div>
      <p className="wrap">{event.reason ?? outcomes[event.outcome]}</p>
      <Facts
        facts={[
          ['What it means', event.reason === undefined ? undefined : outcomes[event.outcome]],
          ['Provider', event.provider],
          ['Integration', event.integrationId && <IntegrationName key="i" integrationId={event.integrationId} />],
          ['Customer', event.installationId && <RowCustomer key="c" {...event} />],
          ['Object', event.objectName],
          ['Event', event.eventName],
          ['Requests', count(event.requests)],
          ['Events', `${count(event.events)}, ${count(event.newEvents)} of them new`],
          ['Size', bytes(event.bytes)],
          ['Time', <Time key="t" at={event.time} format="absolute" />],
          ['Id', <Id key="d" id={event.id} />],
        ]}
      />
    </>
  )
}

function useDeclaredFilters(): FilterDeclaration[] {
  const { data } = useCall('listIntegrations', {}, { staleMs: 600_000 })
  return useMemo(
    () => [
      {
        name: 'outcome',
        label: 'Outcome',
        choices: Object.keys(outcomes).map((value) => ({ value, label: words(value) })),
      },
      {
        name: 'provider',
        label: 'Provider',
        choices: [...new Set(data?.map(({ provider }) => provider))].map((value) => ({ value, label: value })),
      },
      {
        name: 'integrationId',
        label: 'Integration',
        choices: data?.map(({ id, name }) => ({ value: id, label: name })) ?? [],
      },
      { name: 'installationId', label: 'Installation id', kind: 'text' },
      { name: 'startTime', label: 'From', kind: 'time' },
      { name: 'endTime', label: 'To', kind: 'time' },
    ],
    [data],
  )
}

const columns: Column<Event>[] = [
  { id: 'time', header: 'Time', width: 90, cell: ({ time }) => <Time at={time} /> },
  { id: 'outcome', header: 'Outcome', width: 120, cell: ({ outcome }) => <Status state={outcome} /> },
  {
    id: 'what',
    header: 'Event',
    width: 190,
    cell: ({ eventName, objectName }) => [objectName, eventName].filter(Boolean).join(' · ') || '–',
  },
  { id: 'provider', header: 'Provider', width: 110, cell: ({ provider }) => provider ?? '–' },
  {
    id: 'customer',
    header: 'Customer',
    width: 150,
    least: 130,
    cell: ({ installationId, integrationId, groupRef }) => (
      <RowCustomer {...{ installationId, integrationId, groupRef }} />
    ),
  },
  {
    id: 'integration',
    header: 'Integration',
    width: 120,
    cell: ({ integrationId }) => <IntegrationName integrationId={integrationId} />,
  },
  { id: 'reason', header: 'Reason', cell: ({ reason }) => <span title={reason}>{reason ?? '–'}</span> },
  {
    id: 'events',
    header: 'New events',
    width: 100,
    align: 'right',
    cell: ({ events, newEvents }) => (events === newEvents ? count(events) : `${count(newEvents)} of ${count(events)}`),
  },
  { id: 'bytes', header: 'Size', width: 90, align: 'right', hidden: true, cell: (one) => bytes(one.bytes) },
]
