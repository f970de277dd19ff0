import { useMemo } from 'react'
import { Button } from '../../parts/button.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { ConfirmButton, Panel } from '../../parts/dialog.tsx'
import { FilterBar, type FilterDeclaration, useFilters } from '../../parts/filters.tsx'
import { counted } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { useCall, useChange, useList } from '../../session/data.ts'
import { useMay } from '../../session/project.tsx'
import { ReplayProgress } from '../messages/replay-progress.tsx'
import { deadLetterColumns, reasons } from './dead-letter-columns.tsx'
import { DeadLetterPanel } from './dead-letter-panel.tsx'
import '../messages/messages.css'

const filterNames = [
  'destination',
  'reason',
  'objectName',
  'groupRef',
  'installationId',
  'createdAfter',
  'createdBefore',
] as const
const refreshes: ('listDeadLetters' | 'getDestination' | 'listDestinations' | 'getOverview')[] = [
  'listDeadLetters',
  'getDestination',
  'listDestinations',
  'getOverview',
]

export default function DeadLettersPage() {
  const may = useMay('operator')
  const [filters, set] = useFilters()
  const query = Object.fromEntries(
    filterNames.flatMap((name) => (filters[name] === undefined ? [] : [[name, filters[name]]])),
  )
  const list = useList('listDeadLetters', { query })
  const declared = useDeclaredFilters()
  const onSent = (id: string) => set({ replay: id, open: undefined })
  const redrive = useChange('redriveDeadLetters', { refreshes, onDone: ({ id }) => onSent(id) })
  const discard = useChange('discardDeadLetters', {
    refreshes,
    done: ({ discarded }) => `${counted(discarded, 'dead letter')} discarded.`,
  })
  const destination = filters['destination']
  return (
    <Page
      title="Dead letters"
      about="Messages and records that a destination did not accept. Correct them, send them again, or discard them."
      actions={
        destination !== undefined && (
          <Button
            disabled={!may}
            title={may ? undefined : 'An operator can do this.'}
            busy={redrive.isPending}
            onClick={() => redrive.mutate({ body: { destination } })}
          >
            Redrive all of {destination}
          </Button>
        )
      }
      fills
    >
      <FilterBar filters={declared} />
      {filters['replay'] !== undefined && (
        <ReplayProgress replayId={filters['replay']} onClose={() => set({ replay: undefined })} />
      )}
      <DataTable
        label="Dead letters"
        columns={deadLetterColumns}
        list={list}
        keyOf={({ id }) => id}
        openKey={filters['open']}
        onOpen={({ id }) => set({ open: id })}
        bulk={
          may
            ? (items, clear) => {
                const body = { deadLetterIds: items.map(({ id }) => id) }
                return (
                  <>
                    <Button busy={redrive.isPending} onClick={() => redrive.mutate({ body }, { onSuccess: clear })}>
                      Redrive {counted(items.length, 'dead letter')}
                    </Button>
                    <ConfirmButton
                      label="Discard"
                      title={`Discard ${counted(items.length, 'dead letter')}`}
                      text="They are not sent. Until their retention ends, they stay in the list of messages, in the state discarded."
                      action="Discard"
                      busy={discard.isPending}
                      onConfirm={() => discard.mutateAsync({ body }).then(clear, () => undefined)}
                    />
                  </>
                )
              }
            : undefined
        }
        empty={
          <Empty
            title={Object.keys(query).length > 0 ? 'No dead letter matches' : 'No dead letters'}
            text="Destinations accepted everything that was sent to them, or Mortise is still trying."
          />
        }
      />
      <Panel open={filters['open'] !== undefined} onClose={() => set({ open: undefined })} title="Dead letter">
        {filters['open'] !== undefined && (
          <DeadLetterPanel key={filters['open']} deadLetterId={filters['open']} onSent={onSent} />
        )}
      </Panel>
    </Page>
  )
}

function useDeclaredFilters(): FilterDeclaration[] {
  const { data } = useCall('listDestinations', {}, { staleMs: 60_000 })
  return useMemo(
    () => [
      {
        name: 'destination',
        label: 'Destination',
        choices: data?.map(({ name }) => ({ value: name, label: name })) ?? [],
      },
      {
        name: 'reason',
        label: 'Reason',
        choices: Object.entries(reasons).map(([value, label]) => ({ value, label })),
      },
      { name: 'objectName', label: 'Object', kind: 'text' },
      { name: 'groupRef', label: 'Customer', kind: 'text' },
      { name: 'installationId', label: 'Installation id', kind: 'text' },
      { name: 'createdAfter', label: 'From', kind: 'time' },
      { name: 'createdBefore', label: 'To', kind: 'time' },
    ],
    [data],
  )
}
