/** What the curve needs of a message. */
interface Sent {
  createTime: string
  endTime?: string
  state: 'pending' | 'delivered' | 'failed' | 'discarded'
}

const steps = [60_000, 5 * 60_000, 15 * 60_000, 3_600_000, 6 * 3_600_000, 86_400_000]
const barsMax = 60

/** Messages by the interval in which they were created. Every interval of the range is there, also an empty one. */
export function curveOf(messages: Sent[]) {
  const created = messages.map(({ createTime }) => Date.parse(createTime))
  const first = Math.min(...created)
  const last = Math.max(...created)
  const stepMs = steps.find((step) => (last - first) / step < barsMax) ?? 86_400_000
  const start = Math.floor(first / stepMs)
  const length = messages.length === 0 ? 0 : Math.floor(last / stepMs) - start + 1
  const counted = (states: Sent['state'][]) => {
    const values = Array.from({ length }, () => 0)
    for (const [index, { state }] of messages.entries()) {
      const interval = Math.floor((created[index] ?? 0) / stepMs) - start
      if (states.includes(state)) values[interval] = (values[interval] ?? 0) + 1
    }
    return values
  }
  return {
    stepMs,
    times: Array.from({ length }, (_, index) => ((start + index) * stepMs) / 1_000),
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
