import { useEffect, useMemo, useState } from 'react'
import { Chart } from '../../parts/lazy.tsx'
import { count } from '../../parts/numbers.ts'
import { Card, Facts } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { duration } from '../../parts/time.tsx'
import { useCall } from '../../session/data.ts'
import type { Message } from '../messages/message-columns.tsx'
import { curveOf, percentile, untilDelivered } from './delivery-curve.ts'
import type { Destination } from './destination-kinds.ts'

const sample = 1_000
/** While messages are on their way, and later. */
const soonMs = 5_000
const laterMs = 30_000

/** What became of the newest messages, and how long they took. */
export function Deliveries({ destination: { name } }: { destination: Destination }) {
  const [isBusy, setBusy] = useState(true)
  const query = useCall(
    'listMessages',
    { query: { destination: name, pageSize: sample } },
    { everyMs: isBusy ? soonMs : laterMs },
  )
  const messages = query.data
  useEffect(() => {
    if (messages) setBusy(messages.length === 0 || messages.some(({ state }) => state === 'pending'))
  }, [messages])
  return (
    <Card title="Deliveries">
      <Loaded query={query}>{(messages) => <Curve messages={messages} />}</Loaded>
    </Card>
  )
}

function Curve({ messages }: { messages: Message[] }) {
  const { times, series, step } = useMemo(() => curveOf(messages, Date.now()), [messages])
  const took = useMemo(() => untilDelivered(messages), [messages])
  if (messages.length === 0) return <p className="muted">No messages went to this destination yet.</p>
  return (
    <div className="stack">
      <Chart label={`What became of the messages of each ${step}`} times={times} series={series} />
      <p className="muted small">
        The newest {count(messages.length)} messages, by the {step} in which they were created.
      </p>
      {took.length > 0 && (
        <Facts
          facts={[
            ['Half arrive within', duration(percentile(took, 0.5))],
            ['99 of 100 within', duration(percentile(took, 0.99))],
          ]}
        />
      )}
    </div>
  )
}
