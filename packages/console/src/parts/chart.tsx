import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { shortCount } from './numbers.ts'

export interface Series {
  label: string
  /** A variable of the console's colors, such as `--ok`. */
  color: string
  values: number[]
}

export interface ChartProps {
  /** Says what the chart shows, for a screen reader. */
  label: string
  /** Starts of the intervals, in seconds since 1970. */
  times: number[]
  series: Series[]
  height?: number
  /** Bars one on the other, or lines. */
  kind?: 'stacked' | 'lines'
  /** Charts with the same key share their crosshair. */
  syncKey?: string
}

/** Counts over time, from zero. Empty intervals are empty. Loaded when a page needs it. */
export default function Chart({ label, times, series, height = 160, kind = 'stacked', syncKey }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = frame.current
    if (!element) return
    const style = getComputedStyle(element)
    // Read at each drawing: the theme may change.
    const color = (name: string) => () => resolved(element, style.getPropertyValue(name))
    const grid = { stroke: color('--mortise-border'), width: 1 }
    const axis = {
      stroke: color('--mortise-muted-text'),
      grid,
      ticks: { show: false },
      font: `11px ${style.fontFamily}`,
    }
    const drawn = kind === 'stacked' ? stacked(series) : series.map(({ values }) => values)
    // The tallest bar is drawn first, the others in front of it.
    const order =
      kind === 'stacked' ? series.map((_, index) => series.length - 1 - index) : series.map((_, index) => index)
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        padding: [8, 24, 0, 0],
        cursor: { y: false, ...(syncKey !== undefined && { sync: { key: syncKey } }) },
        scales: {
          // The bar of the last interval begins where the times end.
          x: { time: true, range: (_, min, max) => [min, kind === 'stacked' ? max + interval(times) : max] },
          y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] },
        },
        axes: [
          { ...axis, size: 32, space: 56 },
          {
            ...axis,
            size: 44,
            space: 28,
            gap: 4,
            values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? shortCount(tick) : '')),
          },
        ],
        series: [
          {},
          ...order.map((index) => ({
            label: series[index]?.label ?? '',
            stroke: color(series[index]?.color ?? '--info'),
            ...(kind === 'stacked' && { fill: color(series[index]?.color ?? '--info'), paths: bars, width: 0 }),
            points: { show: false },
          })),
        ],
      },
      [times, ...order.map((index) => drawn[index] ?? [])],
      element,
    )
    const resize = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }))
    resize.observe(element)
    const redraw = () => chart.redraw()
    const theme = matchMedia('(prefers-color-scheme: dark)')
    theme.addEventListener('change', redraw)
    // The theme that the reader chooses in the console.
    const chosenTheme = new MutationObserver(redraw)
    chosenTheme.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      theme.removeEventListener('change', redraw)
      chosenTheme.disconnect()
      resize.disconnect()
      chart.destroy()
    }
  }, [times, series, height, kind, syncKey])
  return (
    <figure className="chart">
      <figcaption className="row small">
        {series.map(({ label, color, values }) => (
          <span key={label} className="legend">
            <span className="dot" style={{ background: `var(${color})` }} aria-hidden="true" /> {label}{' '}
            {kind === 'stacked' && (
              <strong className="number">{shortCount(values.reduce((sum, value) => sum + value, 0))}</strong>
            )}
          </span>
        ))}
      </figcaption>
      <div ref={frame} role="img" aria-label={`${label}. ${summary(series)}`} style={{ height }} />
    </figure>
  )
}

const bars = uPlot.paths.bars?.({ size: [0.8, 40], align: 1 }) ?? uPlot.paths.linear?.() ?? (() => null)

function interval(times: number[]): number {
  return (times[1] ?? 0) - (times[0] ?? 0)
}

function stacked(series: Series[]): number[][] {
  let below: number[] = []
  return series.map(({ values }) => {
    below = values.map((value, index) => value + (below[index] ?? 0))
    return below
  })
}

function summary(series: Series[]): string {
  return series.map(({ label, values }) => `${label}: ${values.reduce((sum, value) => sum + value, 0)}`).join(', ')
}

/** A canvas does not know `light-dark()`: the browser resolves it on an element. */
function resolved(element: HTMLElement, value: string): string {
  const probe = document.createElement('span')
  probe.style.color = value
  element.append(probe)
  const color = getComputedStyle(probe).color
  probe.remove()
  return color
}
