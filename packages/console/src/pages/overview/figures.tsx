import type { ReactNode } from 'react'
import { count, counted, shortCount } from '../../parts/numbers.ts'
import { ProjectLink } from '../../parts/project-links.tsx'
import { Time } from '../../parts/time.tsx'
import type { Overview } from './types.ts'

/** The state of the project in numbers. Each leads to the list behind it. */
export function Figures({ overview }: { overview: Overview }) {
  const { installations, connections, backlog, running, lastDay, dayBefore } = overview
  const { working, created, bad_credentials: refused } = connections
  const runs = [running.backfills, running.triggeredReads, running.scheduledReads]
  const runsNow = runs.reduce((sum, { count }) => sum + count, 0)
  return (
    <div className="grid-4">
      <Figure path="installations" label="Installations" value={count(installations.total)}>
        {installations.unhealthy.count === 0 ? 'All healthy' : `${capped(installations.unhealthy)} unhealthy`}
      </Figure>
      <Figure path="connections" label="Connections" value={count(working + created + refused)}>
        {refused === 0 ? 'None refused' : `${count(refused)} refused`}
        {created > 0 && `, ${count(created)} not used yet`}
      </Figure>
      <Figure path="messages" search={{ state: 'pending' }} label="Messages waiting" value={capped(backlog.waiting)}>
        {backlog.oldestTime === undefined ? (
          'Everything is delivered'
        ) : (
          <>
            The oldest <Time at={backlog.oldestTime} />
          </>
        )}
      </Figure>
      <Figure path="operations" search={{ status: 'in_progress' }} label="Running now" value={count(runsNow)}>
        {counted(running.backfills.count, 'backfill')}, {counted(runsNow - running.backfills.count, 'read')}
      </Figure>
      <Figure
        path="operations"
        search={{ actionType: 'read' }}
        label="Records in 24 hours"
        value={shortCount(lastDay.recordsRead)}
      >
        {change(lastDay.recordsRead, dayBefore.recordsRead)}
      </Figure>
    </div>
  )
}

function Figure({
  path,
  search,
  label,
  value,
  children,
}: {
  path: string
  search?: Record<string, string>
  label: string
  value: string
  children: ReactNode
}) {
  return (
    <ProjectLink path={path} {...(search && { search })} className="figure">
      <span className="muted">{label}</span>
      <strong>{value}</strong>
      <span className="muted small">{children}</span>
    </ProjectLink>
  )
}

function capped({ count: value, capped }: { count: number; capped: boolean }): string {
  return `${count(value)}${capped ? '+' : ''}`
}

/** "12% more than the day before". */
function change(now: number, before: number): string {
  if (before === 0) return now === 0 ? 'None the day before either' : 'None the day before'
  const percent = Math.round(((now - before) / before) * 100)
  if (percent === 0) return 'As many as the day before'
  // "4,200% more" says less than "42 times".
  if (percent > 300) return `${shortCount(Math.round(now / before))} times the day before`
  return `${Math.abs(percent)}% ${percent > 0 ? 'more' : 'less'} than the day before`
}
