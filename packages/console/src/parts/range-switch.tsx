import { useFilters } from './filters.tsx'

export const ranges = {
  '24h': { label: '24 hours', interval: 'hour' },
  '30d': { label: '30 days', interval: 'day' },
} as const
export type Range = keyof typeof ranges

/** The range of the charts, from the address. */
export function useRange(): Range {
  const [{ range }] = useFilters()
  return range === '30d' ? '30d' : '24h'
}

/** Chooses the range of the charts of a page. */
export function RangeSwitch() {
  const [, set] = useFilters()
  const current = useRange()
  return (
    <fieldset className="switch">
      <legend className="visually-hidden">Range of the charts</legend>
      {Object.entries(ranges).map(([range, { label }]) => (
        <label key={range} className={range === current ? 'on' : undefined}>
          <input
            type="radio"
            name="range"
            className="visually-hidden"
            checked={range === current}
            onChange={() => set({ range: range === '24h' ? undefined : range })}
          />
          {label}
        </label>
      ))}
    </fieldset>
  )
}
