import type { Output } from '@mortise/client'
import { useMemo } from 'react'
import { useCall } from '../session/data.ts'
import type { Series } from './chart.tsx'
import { Chart } from './lazy.tsx'
import { shortCount } from './numbers.ts'
import { ranges, useRange } from './range-switch.tsx'
import { Loaded } from './states.tsx'

export interface CountScope {
  groupRef?: string
  integrationId?: string
  installationId?: string
  objectName?: string
}

type CountSeries = Output<'listCounts'>
export type CountName = keyof CountSeries['total']

interface Declaration {
  title: string
  /** The first is what went well: its count without that of the second. */
  series: { label: string; color: string; of: CountName; without?: CountName }[]
}

const charts: Declaration[] = [
  { title: 'Records read', series: [{ label: 'Records', color: '--info', of: 'recordsRead' }] },
  {
    title: 'Deliveries',
    series: [
      { label: 'Delivered', color: '--ok', of: 'deliveries', without: 'failedDeliveries' },
      { label: 'Failed attempts', color: '--error', of: 'failedDeliveries' },
    ],
  },
  {
    title: 'Provider calls',
    series: [
      { label: 'Answered', color: '--ok', of: 'providerCalls', without: 'failedProviderCalls' },
      { label: 'Failed', color: '--error', of: 'failedProviderCalls' },
    ],
  },
]

/** Counts over time: what was read, delivered and called, of the project or a part of it. Shares its crosshair. */
export function CountCharts({ scope = {}, height = 120 }: { scope?: CountScope; height?: number }) {
  const range = useRange()
  const query = useCall('listCounts', { query: { ...scope, interval: ranges[range].interval } })
  return (
    <Loaded query={query} lines={6}>
      {(counts) => (
        <div className="count-charts">
          {charts.map((chart) => (
            <CountChart key={chart.title} chart={chart} counts={counts} height={height} />
          ))}
        </div>
      )}
    </Loaded>
  )
}

function CountChart({ chart, counts, height }: { chart: Declaration; counts: CountSeries; height: number }) {
  const times = useMemo(() => counts.results.map(({ startTime }) => Date.parse(startTime) / 1_000), [counts])
  const series = useMemo(
    () =>
      chart.series.map(
        ({ label, color, of, without }): Series => ({
          label,
          color,
          values: counts.results.map(({ counts }) => counts[of] - (without ? counts[without] : 0)),
        }),
      ),
    [chart, counts],
  )
  const total = chart.series.reduce(
    (sum, { of, without }) => sum + counts.total[of] - (without ? counts.total[without] : 0),
    0,
  )
  return (
    <section className="count-chart">
      <h3>{chart.title}</h3>
      {total === 0 ? (
        <p className="muted small count-chart-none" style={{ height }}>
          None in this time.
        </p>
      ) : (
        <Chart
          label={`${chart.title}: ${shortCount(total)}`}
          times={times}
          series={series}
          height={height}
          syncKey="counts"
        />
      )}
    </section>
  )
}
