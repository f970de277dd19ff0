import { Link } from '@tanstack/react-router'
import { Id } from '../../parts/copy-button.tsx'
import { DestinationName, RowCustomer } from '../../parts/names.tsx'
import { bytes, count } from '../../parts/numbers.ts'
import { Facts } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { useProjectRef } from '../../session/project.tsx'
import { type Message, NextAttempt } from './message-columns.tsx'

export function MessageFacts({ message }: { message: Message }) {
  const project = useProjectRef()
  const { operationId, installationId, integrationId, groupRef, nextAttemptTime, endTime } = message
  return (
    <Facts
      facts={[
        [
          'Destination',
          <DestinationName key="d" name={message.destinationName} missing={message.destinationId === undefined} />,
        ],
        ['Customer', installationId && <RowCustomer key="c" {...{ installationId, integrationId, groupRef }} />],
        [
          'Operation',
          operationId && (
            <Link key="o" to={`/${project}/operations/${operationId}` as never}>
              The operation that made it
            </Link>
          ),
        ],
        ['Event', message.eventType],
        ['Size', bytes(message.bytes)],
        ['Attempts', count(message.attempts)],
        ['Next attempt', nextAttemptTime && <NextAttempt key="n" at={nextAttemptTime} />],
        ['Created', <Time key="t" at={message.createTime} format="absolute" />],
        [
          message.state === 'delivered' ? 'Delivered' : 'Ended',
          endTime && <Time key="e" at={endTime} format="absolute" />,
        ],
        ['Id', <Id key="i" id={message.id} />],
      ]}
    />
  )
}
