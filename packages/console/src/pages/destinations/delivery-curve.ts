/** What the curve needs of a message. */
interface Sent {
  createTime: string
  endTime?: string
  state: 'pending' | 'delivered' | 'failed' | 'discarded'
}

const day = 86_400_000
const steps = [
  { ms: 60_000, name: 'minute' },
  { ms: 5 * 60_000, name: '5 minutes' },
  { ms: 15 * 60_000, name: 'quarter of an hour' },
  { ms: 3_600_000, name: 'hour' },
  { ms: 6 * 3_600_000, name: '6 hours' },
  { ms: day, name: 'day' },
]
const barsMax = 90
const barsMin = 30

/**
 * Messages by the interval in which they were created, up to now. Every interval of the range is there, also an empty
 * one.
 */
export function curveOf(messages: Sent[], now: number) {
  const created = messages.map(({ createTime }) => Date.parse(createTime))
  const last = Math.max(now, ...created)
  const oldest = Math.min(last, ...created)
  const step = steps.find(({ ms }) => (last - oldest) / ms < barsMax) ?? { ms: day, name: 'day' }
  const first = Math.min(oldest, last - barsMin * step.ms)
  const start = Math.floor(first / step.ms)
  // One more than there is, so that the newest bar is drawn whole.
  const length = Math.floor(last / step.ms) - start + 2
  const counted = (states: Sent['state'][]) => {
    const values = Array.from({ length }, () => 0)
    for (const [index, { state }] of messages.entries()) {
      const interval = Math.floor((created[index] ?? 0) / step.ms) - start
      if (states.includes(state)) values[interval] = (values[interval] ?? 0) + 1
    }
    return values
  }
  return {
    step: step.name,
    times: Array.from({ length }, (_, index) => ((start + index) * step.ms) / 1_000),
    series: [
      { label: 'Delivered', color: '--ok', values: counted(['delivered']) },
      { label: 'Waiting', color: '--info', values: counted(['pending']) },
      { label: 'Failed', color: '--error', values: counted(['failed', 'discarded']) },
    ],
  }
}

/** Milliseconds from the creation of delivered messages until they were delivered, the shortest first. */
export function untilDelivered(messages: Sent[]): number[] {
  return messages
    .flatMap(({ state, createTime, endTime }) =>
      state === 'delivered' && endTime !== undefined ? [Date.parse(endTime) - Date.parse(createTime)] : [],
    )
    .toSorted((one, other) => one - other)
}

/** The value that so many of the sorted values do not exceed. */
export function percentile(sorted: number[], part: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0
}
