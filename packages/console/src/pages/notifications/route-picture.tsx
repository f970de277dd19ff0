import { Fragment, useLayoutEffect, useRef, useState } from 'react'
import { classes } from '../../parts/classes.ts'
import { counted } from '../../parts/numbers.ts'
import { Status } from '../../parts/status.tsx'
import { eventTypes } from './event-types.ts'
import { destinationKey, eventKey, type Picture, type Route, topicKey } from './use-routes.ts'

interface Line extends Route {
  path: string
}

/**
 * Three lists beside one another, and lines between what is routed. The lines repeat what each item also says in words.
 */
export function RoutePicture({
  picture,
  chosen,
  onChoose,
}: {
  picture: Picture
  chosen: string | undefined
  onChoose: (key: string) => void
}) {
  const [hovered, setHovered] = useState<string>()
  const frame = useRef<HTMLDivElement>(null)
  const lines = useLines(frame, picture.routes)
  const lit = litOf(picture.routes, hovered ?? chosen)
  const { events, topics, destinations, routes } = picture
  const item = (key: string, label: string, note: React.ReactNode, targets: string) => (
    <li key={key}>
      <button
        type="button"
        data-key={key}
        className={classes('route-item', lit?.has(key) && 'lit', lit && !lit.has(key) && 'dim')}
        aria-pressed={chosen === key}
        onClick={() => onChoose(key)}
        onMouseEnter={() => setHovered(key)}
        onMouseLeave={() => setHovered(undefined)}
        onFocus={() => setHovered(key)}
        onBlur={() => setHovered(undefined)}
      >
        <span className="wrap">
          {label.split('.').map((part, index) => (
            // A line may end after a dot.
            <Fragment key={part}>
              {index > 0 && (
                <>
                  .<wbr />
                </>
              )}
              {part}
            </Fragment>
          ))}
        </span>
        {note}
        <span className="route-targets muted small">{targets}</span>
      </button>
    </li>
  )
  const names = new Map([
    ...topics.map(({ id, name }): [string, string] => [topicKey(id), name]),
    ...destinations.map(({ id, name }): [string, string] => [destinationKey(id), name]),
  ])
  const targetsOf = (key: string) => {
    const to = routes.filter(({ from }) => from === key).map(({ to }) => names.get(to) ?? 'a deleted one')
    return to.length === 0 ? 'not routed' : `to ${to.join(', ')}`
  }
  return (
    <div className={classes('route-picture', chosen !== undefined && 'beside')} ref={frame}>
      <svg className="route-lines" aria-hidden="true">
        {lines.map(({ id, from, to, path }) => (
          <path
            key={id}
            d={path}
            className={classes(lit?.has(from) && lit.has(to) && 'lit', lit && !(lit.has(from) && lit.has(to)) && 'dim')}
          />
        ))}
      </svg>
      <section aria-labelledby="routes-events">
        <h2 id="routes-events">Events</h2>
        <ul>{events.map((type) => item(eventKey(type), type, <Title of={type} />, targetsOf(eventKey(type))))}</ul>
      </section>
      <section aria-labelledby="routes-topics">
        <h2 id="routes-topics">Topics</h2>
        <ul>
          {topics.map(({ id, name }) => {
            const sources = routes.filter(({ to }) => to === topicKey(id)).length
            const note = <span className="muted small">{counted(sources, 'event')}</span>
            return item(topicKey(id), name, note, targetsOf(topicKey(id)))
          })}
          {topics.length === 0 && <li className="muted small">No topics yet.</li>}
        </ul>
      </section>
      <section aria-labelledby="routes-destinations">
        <h2 id="routes-destinations">Destinations</h2>
        <ul>
          {destinations.map(({ id, name, status }) => {
            const sources = routes.filter(({ to }) => to === destinationKey(id)).length
            const state = status === 'active' ? null : <Status state={status} />
            return item(destinationKey(id), name, state, `from ${counted(sources, 'topic')}`)
          })}
          {destinations.length === 0 && <li className="muted small">No destinations yet.</li>}
        </ul>
      </section>
    </div>
  )
}

function Title({ of }: { of: keyof typeof eventTypes }) {
  return <span className="visually-hidden">{eventTypes[of]}</span>
}

/** What an item leads to and comes from, over both kinds of routes. */
function litOf(routes: Route[], key: string | undefined): Set<string> | undefined {
  if (key === undefined) return undefined
  const lit = new Set([key])
  const after = (one: string) => routes.filter(({ from }) => from === one).map(({ to }) => to)
  const before = (one: string) => routes.filter(({ to }) => to === one).map(({ from }) => from)
  for (const next of after(key)) for (const one of [next, ...after(next)]) lit.add(one)
  for (const last of before(key)) for (const one of [last, ...before(last)]) lit.add(one)
  return lit
}

/** The curves, measured from where the items are. */
function useLines(frame: React.RefObject<HTMLDivElement | null>, routes: Route[]): Line[] {
  const [lines, setLines] = useState<Line[]>([])
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return
    const measure = () => {
      const origin = element.getBoundingClientRect()
      const boxes = new Map(
        [...element.querySelectorAll<HTMLElement>('[data-key]')].map((item) => [
          item.dataset['key'],
          item.getBoundingClientRect(),
        ]),
      )
      setLines(
        routes.flatMap((route) => {
          const from = boxes.get(route.from)
          const to = boxes.get(route.to)
          if (!from || !to) return []
          const [x1, y1] = [from.right - origin.left, from.top + from.height / 2 - origin.top]
          const [x2, y2] = [to.left - origin.left, to.top + to.height / 2 - origin.top]
          const bend = (x2 - x1) / 2
          return [{ ...route, path: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}` }]
        }),
      )
    }
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    measure()
    return () => observer.disconnect()
  }, [frame, routes])
  return lines
}
