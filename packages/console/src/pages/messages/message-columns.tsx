import type { Output } from '@mortise/client'
import { Id } from '../../parts/copy-button.tsx'
import type { Column } from '../../parts/data-table.tsx'
import { DestinationName, RowCustomer } from '../../parts/names.tsx'
import { bytes, count } from '../../parts/numbers.ts'
import { RowLink } from '../../parts/row-link.tsx'
import { Status } from '../../parts/status.tsx'
import { Time, useNow } from '../../parts/time.tsx'
import { useProjectRef } from '../../session/project.tsx'

export type Message = Output<'listMessages'>[number]

const kinds: Record<Message['kind'], string> = {
  read: 'Records read',
  subscribe: 'Provider events',
  'schema.watch': 'Schema change',
  notification: 'Notification',
}

/** "Records read", or the event of a notification. */
export function titleOfMessage({ kind, eventType }: Pick<Message, 'kind' | 'eventType'>): string {
  return eventType ?? kinds[kind]
}

/** The state of a message. A pending one is tried again, or waits for its first attempt. */
export function MessageState({ message }: { message: Message }) {
  const { state, attempts } = message
  if (state === 'pending' && attempts > 0) return <Status state="retrying" />
  return <Status state={state} {...(state === 'pending' && { label: 'Waiting' })} />
}

function MessageLink({ message }: { message: Message }) {
  return <RowLink to={`/${useProjectRef()}/messages/${message.id}`}>{titleOfMessage(message)}</RowLink>
}

export const messageColumns: Column<Message>[] = [
  { id: 'what', header: 'Message', width: 190, cell: (message) => <MessageLink message={message} /> },
  { id: 'state', header: 'State', width: 110, cell: (message) => <MessageState message={message} /> },
  {
    id: 'destination',
    header: 'Destination',
    cell: ({ destinationName, destinationId }) => (
      <DestinationName name={destinationName} missing={destinationId === undefined} />
    ),
  },
  {
    id: 'customer',
    header: 'Customer',
    width: 150,
    cell: ({ installationId, integrationId, groupRef }) => (
      <RowCustomer {...{ installationId, integrationId, groupRef }} />
    ),
  },
  { id: 'attempts', header: 'Attempts', width: 80, align: 'right', cell: ({ attempts }) => count(attempts) },
  { id: 'bytes', header: 'Size', width: 80, align: 'right', cell: (message) => bytes(message.bytes) },
  {
    id: 'next',
    header: 'Next attempt',
    width: 120,
    align: 'right',
    cell: ({ nextAttemptTime }) => <NextAttempt at={nextAttemptTime} />,
  },
  { id: 'created', header: 'Created', width: 100, align: 'right', cell: ({ createTime }) => <Time at={createTime} /> },
  {
    id: 'operation',
    header: 'Operation',
    width: 160,
    hidden: true,
    cell: ({ operationId }) => (operationId === undefined ? '–' : <OperationId id={operationId} />),
  },
  { id: 'id', header: 'Id', width: 160, hidden: true, cell: ({ id }) => <Id id={id} /> },
]

/** When a message is sent next. One that is due waits for its destination. */
export function NextAttempt({ at }: { at: string | undefined }) {
  const now = useNow()
  if (at !== undefined && Date.parse(at) < now - lateMs) return <span className="muted">when it can</span>
  return <Time at={at} />
}
const lateMs = 30_000

function OperationId({ id }: { id: string }) {
  return <RowLink to={`/${useProjectRef()}/operations/${id}`}>{id.slice(0, 8)}…</RowLink>
}
