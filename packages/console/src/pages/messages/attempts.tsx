import { Loaded } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { duration, Time } from '../../parts/time.tsx'
import { useCall } from '../../session/data.ts'

/** Each attempt with what came back, newest first. */
export function Attempts({ messageId }: { messageId: string }) {
  const query = useCall('listMessageAttempts', { messageId })
  return (
    <Loaded query={query} lines={3}>
      {(attempts) => {
        if (attempts.length === 0) return <p className="muted">Not sent yet.</p>
        const slowest = Math.max(1, ...attempts.map(({ durationMs }) => durationMs))
        return (
          <ol className="attempts">
            {attempts
              .toSorted((one, other) => other.number - one.number)
              .map(({ number, createTime, durationMs, error, response, status }) => (
                <li key={number}>
                  <div className="row">
                    <strong className="number">#{number}</strong>
                    <Status state={error === undefined ? 'delivered' : 'failed'} />
                    {status !== undefined && <code>{status}</code>}
                    <span className="attempt-bar" aria-hidden="true">
                      <span style={{ width: `${(durationMs / slowest) * 100}%` }} />
                    </span>
                    <span className="number small">{duration(durationMs)}</span>
                    <span className="muted small">
                      <Time at={createTime} />
                    </span>
                  </div>
                  {error !== undefined && <p className="wrap">{error}</p>}
                  {response !== undefined && response !== '' && (
                    <details>
                      <summary className="small">The answer</summary>
                      <pre className="quoted">{response}</pre>
                    </details>
                  )}
                </li>
              ))}
          </ol>
        )
      }}
    </Loaded>
  )
}
