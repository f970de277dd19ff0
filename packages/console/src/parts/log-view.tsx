import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { words } from './status.tsx'

export interface LogLine {
  time: string
  /** `error`, `warning`, `info` or `debug`. */
  level: string
  message: string
  /** Shown when the line is opened. */
  details?: unknown
}

const timeOfDay = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
})
const lineHeight = 24
const heightMin = 72
const heightMax = 320

/** Lines of a log, of any number. Follows the newest until the reader scrolls up. */
export function LogView({ lines, live = false, label = 'Log' }: { lines: LogLine[]; live?: boolean; label?: string }) {
  const [level, setLevel] = useState('')
  const [query, setQuery] = useState('')
  const [following, setFollowing] = useState(live)
  const scroller = useRef<HTMLDivElement>(null)
  const shown = useMemo(
    () =>
      lines.filter(
        (line) =>
          (level === '' || line.level === level) &&
          (query === '' || line.message.toLowerCase().includes(query.toLowerCase())),
      ),
    [lines, level, query],
  )
  const levels = useMemo(() => [...new Set(lines.map((line) => line.level))], [lines])
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: 20,
  })
  useEffect(() => {
    if (following && shown.length > 0) virtual.scrollToIndex(shown.length - 1)
  }, [following, shown.length, virtual])
  return (
    <div className="log">
      <div className="row log-tools">
        <select aria-label="Level" value={level} onChange={(event) => setLevel(event.target.value)}>
          <option value="">All levels</option>
          {levels.map((name) => (
            <option key={name} value={name}>
              {words(name)}
            </option>
          ))}
        </select>
        <input
          type="search"
          aria-label={`Search in ${label}`}
          placeholder="Search"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <span className="grow" />
        {live && (
          <Button look="quiet" aria-pressed={following} onClick={() => setFollowing(!following)}>
            {following ? 'Following' : 'Follow'}
          </Button>
        )}
      </div>
      <div
        ref={scroller}
        className="log-lines"
        style={{ height: Math.min(heightMax, Math.max(heightMin, virtual.getTotalSize() + 8)) }}
        role="log"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it
        tabIndex={0}
        onWheel={(event) => event.deltaY < 0 && setFollowing(false)}
      >
        {shown.length === 0 && <p className="muted log-empty">No lines.</p>}
        <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {virtual.getVirtualItems().map(({ index, start, key }) => {
            const line = shown[index]
            if (!line) return null
            return (
              <div
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                className={`log-line ${line.level}`}
                style={{ transform: `translateY(${start}px)` }}
              >
                <time dateTime={line.time} title={line.time}>
                  {timeOfDay.format(new Date(line.time))}
                </time>
                <span className="log-level">{line.level}</span>
                <LogText line={line} />
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

/** What a line says; its details are one key away. */
function LogText({ line: { message, details } }: { line: LogLine }) {
  const facts = typeof details === 'object' && details !== null ? Object.entries(details) : []
  if (facts.length === 0) return <span className="wrap">{message}</span>
  return (
    <details className="log-text">
      <summary className="wrap">{message}</summary>
      <dl className="log-details">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="wrap">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
