import { counted } from '../../parts/numbers.ts'
import { Time } from '../../parts/time.tsx'
import { useCall } from '../../session/data.ts'
import type { Destination } from './destination-kinds.ts'

/** Why a destination gets nothing: since when, what the endpoint answers, what to do. */
export function DestinationHealth({ destination }: { destination: Destination }) {
  const { name, status, disabledReason, disabledTime, failureCount, firstFailureTime, nextProbeTime } = destination
  const isOk = status === 'active'
  const tried = useCall('listMessages', { query: { destination: name, pageSize: 20 } }, { enabled: !isOk })
  const last = tried.data?.find(({ attempts, state }) => attempts > 0 && state !== 'delivered')
  const attempts = useCall('listMessageAttempts', { messageId: last?.id ?? '' }, { enabled: last !== undefined })
  const newest = attempts.data?.toSorted((one, other) => other.number - one.number)[0]
  if (isOk) return null
  return (
    <section className="failure" aria-label="Why messages do not arrive">
      <h2>{status === 'disabled' ? `${name} is disabled` : `${name} does not accept messages`}</h2>
      <dl>
        <div>
          <dt>Since when</dt>
          <dd>
            <Time at={status === 'disabled' ? disabledTime : firstFailureTime} format="absolute" />
            {failureCount !== undefined && `, ${counted(failureCount, 'attempt')} failed in a row`}
            {nextProbeTime !== undefined && (
              <>
                ; the next attempt is <Time at={nextProbeTime} />
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>Why</dt>
          <dd>
            <blockquote className="wrap">
              {status === 'disabled' ? (disabledReason ?? 'No reason was given.') : (newest?.error ?? '…')}
              {newest?.response !== undefined && newest.response !== '' && (
                <pre className="quoted">{newest.response}</pre>
              )}
            </blockquote>
          </dd>
        </div>
        <div>
          <dt>What to do</dt>
          <dd>
            {status === 'disabled'
              ? 'Repair the endpoint, send a test message, then enable it. Its messages are queued; nothing is lost.'
              : 'Repair the endpoint and send a test message. The queued messages follow automatically, or choose "Try now".'}
          </dd>
        </div>
      </dl>
    </section>
  )
}
