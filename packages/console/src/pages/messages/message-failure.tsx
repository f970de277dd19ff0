import { Link } from '@tanstack/react-router'
import { DestinationName, RowCustomer } from '../../parts/names.tsx'
import { counted } from '../../parts/numbers.ts'
import { Time } from '../../parts/time.tsx'
import { useCall } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'
import { reasonOf } from '../destinations/destination-kinds.ts'
import type { Message } from './message-columns.tsx'

/** Why a message has not arrived: what failed, since when and for whom, why, and what to do. */
export function MessageFailure({ message }: { message: Message }) {
  const project = useProjectRef()
  const { id, state, attempts: made, destinationId, destinationName, installationId, integrationId, groupRef } = message
  const isTried = made > 0 && (state === 'failed' || state === 'pending')
  const attempts = useCall('listMessageAttempts', { messageId: id }, { enabled: isTried })
  if (state === 'pending' && destinationId === undefined)
    return (
      <section className="failure" aria-label="Why it waits">
        <h2>No destination is named {destinationName}</h2>
        <p>
          The message waits, and nothing is lost.{' '}
          <Link to={`/${project}/destinations` as never}>Create the destination</Link> and it is sent within seconds.
        </p>
      </section>
    )
  if (!isTried) return state === 'pending' ? <Waits message={message} /> : null
  const tried = attempts.data?.toSorted((one, other) => one.number - other.number) ?? []
  const first = tried[0]
  const last = tried.at(-1)
  return (
    <section className="failure" aria-label="Why it failed">
      <h2>{state === 'failed' ? 'The message was not delivered' : 'The message is not delivered yet'}</h2>
      <dl>
        <div>
          <dt>Since when, for whom</dt>
          <dd>
            <Time at={first?.createTime ?? message.createTime} format="absolute" />, {counted(made, 'attempt')} to{' '}
            <DestinationName name={destinationName} missing={destinationId === undefined} />
            {installationId !== undefined && (
              <>
                {' '}
                for <RowCustomer {...{ installationId, integrationId, groupRef }} />
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>Why</dt>
          <dd>
            <blockquote className="wrap">
              {last?.error ?? '…'}
              {last?.response !== undefined && last.response !== '' && <pre className="quoted">{last.response}</pre>}
            </blockquote>
          </dd>
        </div>
        <div>
          <dt>What to do</dt>
          <dd>
            {state === 'failed'
              ? 'Repair the endpoint, then send the message again.'
              : 'Repair the endpoint. The message is tried again automatically.'}
          </dd>
        </div>
      </dl>
    </section>
  )
}

/** A message that was not sent yet because its destination does not accept any. */
function Waits({ message: { destinationId, destinationName } }: { message: Message }) {
  const { data } = useCall(
    'getDestination',
    { destination: destinationId ?? destinationName },
    { enabled: destinationId !== undefined },
  )
  if (!data || data.status === 'active') return null
  return (
    <section className="failure" aria-label="Why it waits">
      <h2>
        It waits: {data.name} is {data.status}
      </h2>
      <p>
        {reasonOf(data)} Nothing is lost. The message is sent when the destination works again:{' '}
        <DestinationName name={data.name} />
      </p>
    </section>
  )
}
