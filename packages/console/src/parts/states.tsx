import { MortiseProblem } from '@mortise/client'
import { type ReactNode, useEffect, useState } from 'react'
import { titleOf } from '../session/data.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'

const quietMs = 300
const widths = [92, 78, 85, 64, 71, 58, 80, 49, 66, 40]

/** The shape of what loads, after 300 ms: what is fast does not flicker. */
export function Skeleton({ lines = 4 }: { lines?: number }) {
  const [shown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), quietMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {shown && widths.slice(0, lines).map((width) => <span key={width} style={{ width: `${width}%` }} />)}
    </div>
  )
}

/** What will be here, and one step to get there. */
export function Empty({
  title,
  text,
  command,
  action,
}: {
  title: string
  text?: ReactNode
  /** A line for the terminal that makes the first one. */
  command?: string
  action?: ReactNode
}) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {text !== undefined && <p className="muted">{text}</p>}
      {command !== undefined && <Command text={command} />}
      {action}
    </div>
  )
}

/** A line for the terminal. */
export function Command({ text }: { text: string }) {
  return (
    <div className="command">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} label="Copy the command" />
    </div>
  )
}

/** A problem: what went wrong, what to do, the id to quote. Someone who may not see it learns who can. */
export function Problem({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const problem = error instanceof MortiseProblem ? error : undefined
  const remedy = problem?.document['remedy']
  return (
    <div className="problem" role="alert">
      <h2>{problem?.status === 403 ? 'Your role does not include this' : titleOf(error)}</h2>
      <p className="wrap">{error instanceof Error ? error.message : String(error)}</p>
      {typeof remedy === 'string' && <p className="wrap">{remedy}</p>}
      <div className="row">
        {onRetry && problem?.status !== 403 && <Button onClick={onRetry}>Try again</Button>}
        {problem?.requestId !== undefined && (
          <span className="muted small row">
            Request {problem.requestId} <CopyButton text={problem.requestId} label="Copy the id of the request" />
          </span>
        )}
      </div>
    </div>
  )
}

interface Query<T> {
  data: T | undefined
  error: unknown
  isPending: boolean
  refetch: () => unknown
}

/** Shows the answer of a query, or why there is none yet. A stale answer stays when a later request fails. */
export function Loaded<T>({
  query,
  lines,
  children,
}: {
  query: Query<T>
  lines?: number
  children: (data: T) => ReactNode
}) {
  if (query.data !== undefined)
    return (
      <>
        {query.error != null && <Problem error={query.error} onRetry={() => query.refetch()} />}
        {children(query.data)}
      </>
    )
  if (query.error != null) return <Problem error={query.error} onRetry={() => query.refetch()} />
  return <Skeleton {...(lines !== undefined && { lines })} />
}
