import type { Output } from '@mortise/client'
import type { Column } from '../../parts/data-table.tsx'
import { DestinationName, RowCustomer } from '../../parts/names.tsx'
import { count } from '../../parts/numbers.ts'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { titleOfMessage } from '../messages/message-columns.tsx'

export type DeadLetter = Output<'listDeadLetters'>[number]

export const reasons: Record<DeadLetter['reason'], string> = { refused: 'Refused', exhausted: 'All attempts failed' }

export const deadLetterColumns: Column<DeadLetter>[] = [
  { id: 'what', header: 'What', width: 150, least: 120, cell: (one) => one.objectName ?? titleOfMessage(one) },
  {
    id: 'reason',
    header: 'Reason',
    width: 165,
    least: 165,
    cell: ({ reason }) => <Status state="failed" label={reasons[reason]} />,
  },
  { id: 'error', header: 'Error', cell: ({ error }) => error ?? '–' },
  {
    id: 'destination',
    header: 'Destination',
    width: 150,
    least: 130,
    cell: ({ destinationName, destinationId }) => (
      <DestinationName name={destinationName} missing={destinationId === undefined} />
    ),
  },
  {
    id: 'customer',
    header: 'Customer',
    width: 150,
    least: 130,
    cell: ({ installationId, integrationId, groupRef }) => (
      <RowCustomer {...{ installationId, integrationId, groupRef }} />
    ),
  },
  { id: 'attempts', header: 'Attempts', width: 80, align: 'right', cell: ({ attempts }) => count(attempts) },
  {
    id: 'corrected',
    header: 'Corrected',
    width: 95,
    align: 'right',
    cell: ({ correctTime }) => (correctTime === undefined ? '–' : <Time at={correctTime} />),
  },
  { id: 'failed', header: 'Failed', width: 90, align: 'right', cell: ({ failTime }) => <Time at={failTime} /> },
]
