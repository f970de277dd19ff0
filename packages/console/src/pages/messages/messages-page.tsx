import { useMemo, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Panel } from '../../parts/dialog.tsx'
import { ExportMenu } from '../../parts/export-menu.tsx'
import type { Choice } from '../../parts/fields.tsx'
import { FilterBar, type FilterDeclaration, useFilters } from '../../parts/filters.tsx'
import { counted } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { SavedViews } from '../../parts/saved-views.tsx'
import { Empty } from '../../parts/states.tsx'
import { words } from '../../parts/status.tsx'
import { useCall, useChange, useList } from '../../session/data.ts'
import { useMay, useProjectRef } from '../../session/project.tsx'
import { messageColumns } from './message-columns.tsx'
import { MessagePanel } from './message-panel.tsx'
import { ReplayDialog } from './replay-dialog.tsx'
import { ReplayProgress } from './replay-progress.tsx'
import './messages.css'

const filterNames = [
  'state',
  'kind',
  'destination',
  'eventType',
  'groupRef',
  'installationId',
  'operationId',
  'createdAfter',
  'createdBefore',
] as const

export default function MessagesPage() {
  const project = useProjectRef()
  const may = useMay('operator')
  const [filters, set] = useFilters()
  const query = Object.fromEntries(
    filterNames.flatMap((name) => (filters[name] === undefined ? [] : [[name, filters[name]]])),
  )
  const list = useList('listMessages', { query })
  const declared = useDeclaredFilters()
  const [replaying, setReplaying] = useState(false)
  const replay = useChange('replayMessages', { refreshes: ['listMessages'], onDone: ({ id }) => set({ replay: id }) })
  return (
    <Page
      title="Messages"
      about="Everything that is sent to your destinations, newest first."
      actions={
        <>
          <SavedViews list="messages" />
          <ExportMenu id="listMessages" input={{ query } as never} name="messages" />
          <Button
            disabled={!may}
            title={may ? undefined : 'An operator can do this.'}
            onClick={() => setReplaying(true)}
          >
            Send again…
          </Button>
        </>
      }
      fills
    >
      <FilterBar filters={declared} />
      {filters['replay'] !== undefined && (
        <ReplayProgress replayId={filters['replay']} onClose={() => set({ replay: undefined })} />
      )}
      <DataTable
        label="Messages"
        columns={messageColumns}
        list={list}
        keyOf={({ id }) => id}
        openKey={filters['open']}
        onOpen={({ id }) => set({ open: id })}
        bulk={
          may
            ? (items, clear) => (
                <Button
                  busy={replay.isPending}
                  onClick={() =>
                    replay.mutate({ body: { messageIds: items.map(({ id }) => id) } }, { onSuccess: clear })
                  }
                >
                  Send {counted(items.length, 'message')} again
                </Button>
              )
            : undefined
        }
        empty={
          Object.keys(query).length > 0 ? (
            <Empty
              title="No message matches"
              text="Remove a filter, or choose a longer time. The service keeps messages for its retention time."
              action={
                <Button onClick={() => set(Object.fromEntries(filterNames.map((name) => [name, undefined])))}>
                  Clear the filters
                </Button>
              }
            />
          ) : (
            <Empty
              title="No messages yet"
              text="Messages appear when an installation reads records, or when a notification is routed to a destination. To send one now, test a destination:"
              command={`mortise destination test NAME --project ${project}`}
            />
          )
        }
      />
      <Panel open={filters['open'] !== undefined} onClose={() => set({ open: undefined })} title="Message">
        {filters['open'] !== undefined && <MessagePanel key={filters['open']} messageId={filters['open']} />}
      </Panel>
      {replaying && (
        <ReplayDialog
          filters={query}
          onClose={() => setReplaying(false)}
          onStarted={(id) => {
            setReplaying(false)
            set({ replay: id })
          }}
        />
      )}
    </Page>
  )
}

const choicesOf = (values: string[]): Choice[] => values.map((value) => ({ value, label: words(value) }))

function useDeclaredFilters(): FilterDeclaration[] {
  const { data } = useCall('listDestinations', {}, { staleMs: 60_000 })
  return useMemo(
    () => [
      { name: 'state', label: 'State', choices: choicesOf(['pending', 'delivered', 'failed', 'discarded']) },
      {
        name: 'kind',
        label: 'Kind',
        choices: [
          { value: 'read', label: 'Records read' },
          { value: 'subscribe', label: 'Provider events' },
          { value: 'schema.watch', label: 'Schema change' },
          { value: 'notification', label: 'Notification' },
        ],
      },
      {
        name: 'destination',
        label: 'Destination',
        choices: data?.map(({ name }) => ({ value: name, label: name })) ?? [],
      },
      { name: 'eventType', label: 'Event', kind: 'text' },
      { name: 'groupRef', label: 'Customer', kind: 'text' },
      { name: 'installationId', label: 'Installation id', kind: 'text' },
      { name: 'operationId', label: 'Operation id', kind: 'text' },
      { name: 'createdAfter', label: 'From', kind: 'time' },
      { name: 'createdBefore', label: 'To', kind: 'time' },
    ],
    [data],
  )
}
