import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { LinkButton } from '../../parts/button.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { useFilters } from '../../parts/filters.tsx'
import { counted } from '../../parts/numbers.ts'
import { Card, Columns, Page } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { useCall, useList } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'
import { messageColumns } from '../messages/message-columns.tsx'
import { Deliveries } from './deliveries.tsx'
import { DestinationActions } from './destination-actions.tsx'
import { DestinationConnections } from './destination-connections.tsx'
import { DestinationForm } from './destination-form.tsx'
import { DestinationGroups } from './destination-groups.tsx'
import { DestinationHealth } from './destination-health.tsx'
import { type Destination, kindOf, reasonOf } from './destination-kinds.ts'
import { DestinationSettings } from './destination-settings.tsx'
import { DestinationTabs } from './destination-tabs.tsx'
import { LastResend, ResendProgress } from './resend-progress.tsx'
import { SigningSecret } from './signing-secret.tsx'
import { type TestAnswer, TestResult } from './test-result.tsx'
import './destinations.css'

const askMs = 10_000

export default function DestinationPage() {
  const project = useProjectRef()
  const navigate = useNavigate()
  const { destination: ref = '' } = useParams({ strict: false }) as { destination?: string }
  const [filters, set] = useFilters()
  const query = useCall('getDestination', { destination: ref }, { everyMs: askMs })
  const [test, setTest] = useState<TestAnswer>()
  const destination = query.data
  return (
    <Page
      title={destination?.name ?? ref}
      parents={[{ label: 'Destinations', to: `/${project}/destinations` }]}
      state={destination && <Status state={destination.status} reason={reasonOf(destination)} />}
      about={destination && kindOf(destination.type)}
      tabs={destination?.type === 'records' && <DestinationTabs name={destination.name} />}
      actions={
        destination && (
          <DestinationActions
            destination={destination}
            onEdit={() => set({ edit: '1' })}
            onChangeType={() => set({ edit: 'type' })}
            onTested={setTest}
          />
        )
      }
    >
      <Loaded query={query} lines={8}>
        {(destination) => (
          <Columns
            main={
              <>
                {test && <TestResult test={test} onClose={() => setTest(undefined)} />}
                <DestinationHealth destination={destination} />
                <ResendProgress destination={destination} />
                <DeadLetters destination={destination} />
                {destination.type === 'by-group' && <DestinationGroups destination={destination} />}
                {destination.type === 'by-group' && <DestinationConnections destination={destination} />}
                {destination.type !== 'by-group' && <Deliveries destination={destination} />}
                <NewestMessages destination={destination} />
              </>
            }
            side={
              <>
                <Card title="Settings">
                  <DestinationSettings destination={destination} />
                </Card>
                {isSigned(destination) && (
                  <Card title="Signing secret">
                    <SigningSecret destination={destination} />
                  </Card>
                )}
                <LastResend destination={destination} />
              </>
            }
          />
        )}
      </Loaded>
      {destination && filters['edit'] !== undefined && (
        <DestinationForm
          key={filters['edit']}
          destination={destination}
          changesType={filters['edit'] === 'type'}
          onClose={() => set({ edit: undefined })}
          onDone={({ name }) =>
            void navigate({ to: `/${project}/destinations/${encodeURIComponent(name)}` as never, replace: true })
          }
        />
      )}
    </Page>
  )
}

/** Kinds that send no message as such: rows of tables, records, and those that hand messages to other destinations. */
const unsigned = ['postgres', 'mysql', 'records', 'fan-out', 'by-group']

function isSigned({ type, metadata }: Destination): boolean {
  return !unsigned.includes(type) && metadata['layout'] !== 'tables'
}

/** What the destination did not accept, so that it does not look healthy. */
function DeadLetters({ destination: { name, deadLetterCount = 0 } }: { destination: Destination }) {
  const project = useProjectRef()
  if (deadLetterCount === 0) return null
  return (
    <section className="failure" aria-label="What it did not accept">
      <h2>{counted(deadLetterCount, 'dead letter')}</h2>
      <p>
        It did not accept these messages or records. Everything else is delivered.{' '}
        <LinkButton to={`/${project}/dead-letters` as never} search={{ destination: name } as never}>
          Look at them
        </LinkButton>
      </p>
    </section>
  )
}

const height = 360

function NewestMessages({ destination: { name, type } }: { destination: Destination }) {
  const project = useProjectRef()
  const navigate = useNavigate()
  const list = useList('listMessages', { query: { destination: name } })
  return (
    <Card
      flush
      title="Newest messages"
      actions={
        <>
          <LinkButton to={`/${project}/messages` as never} search={{ destination: name, state: 'failed' } as never}>
            Failed
          </LinkButton>
          <LinkButton to={`/${project}/messages` as never} search={{ destination: name } as never}>
            All messages
          </LinkButton>
        </>
      }
    >
      {list.items?.length === 0 ? (
        <p className="muted card-empty">
          {type === 'by-group'
            ? 'No message waits here: each one moves to the destination of its connection or group.'
            : 'No messages went to this destination yet.'}
        </p>
      ) : (
        <DataTable
          label="Messages of the destination"
          columns={messageColumns.filter(({ id }) => id !== 'destination' && id !== 'next')}
          list={list}
          keyOf={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: `/${project}/messages/${id}` as never })}
          height={height}
          empty={null}
        />
      )}
    </Card>
  )
}
