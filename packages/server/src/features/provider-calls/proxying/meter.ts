import type { Metrics } from '../../../kernel/telemetry/index.ts'

/** Counts proxied calls in the memory of this node; `/metrics` shows them. */
export interface Meter {
  count(provider: string, status: number, begun: number, bytes: { out: number; in: number }): void
}

export function createMeter({ proxied, proxiedBytes, proxiedDuration }: Metrics): Meter {
  // To look labels up costs more than to count. Providers and classes of status are few.
  const kept = new Map<string, ReturnType<typeof labelled>[]>()
  const labelled = (provider: string, status: string) => ({
    calls: proxied.labels({ provider, status }),
    out: proxiedBytes.labels({ provider, direction: 'out' }),
    in: proxiedBytes.labels({ provider, direction: 'in' }),
    seconds: proxiedDuration.labels({ provider }),
  })
  return {
    count(provider, status, begun, bytes) {
      const statusClass = Math.floor(status / 100)
      let classes = kept.get(provider)
      if (!classes) {
        classes = []
        kept.set(provider, classes)
      }
      classes[statusClass] ??= labelled(provider, `${statusClass}xx`)
      const counters = classes[statusClass]
      counters.calls.add(1)
      if (bytes.out > 0) counters.out.add(bytes.out)
      if (bytes.in > 0) counters.in.add(bytes.in)
      counters.seconds.observe((performance.now() - begun) / 1000)
    },
  }
}
