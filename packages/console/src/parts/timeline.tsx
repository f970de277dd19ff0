import type { Item } from '@mortise/client'
import { useEffect, useMemo, useState } from 'react'
import { useList } from '../session/data.ts'
import { useActorName } from './actor.ts'
import { Button } from './button.tsx'
import { Id } from './copy-button.tsx'
import { useFilters } from './filters.tsx'
import { Icon } from './icons.tsx'
import { useIntegrationName } from './integrations.ts'
import { JsonTree } from './json-tree.tsx'
import { counted } from './numbers.ts'
import { Facts } from './page.tsx'
import { paths } from './paths.ts'
import { ConnectionLink, CustomerLink, ProjectLink } from './project-links.tsx'
import { Empty, Problem, Skeleton } from './states.tsx'
import { type Meaning, words } from './status.tsx'
import { Time } from './time.tsx'
import { dayOf, foldRuns, type Run } from './timeline-runs.ts'

export type TimelineEntry = Item<'listTimeline'>

type Of = { groupRef: string } | { installationId: string } | { connectionId: string }

const kinds = [
  ['connection', 'Connections'],
  ['installation', 'Installations'],
  ['reads', 'Pauses'],
  ['subscription', 'Subscriptions'],
  ['schema', 'Schema'],
  ['operation', 'Operations'],
  ['audit', 'Requests'],
] as const
type Kind = (typeof kinds)[number][0]

/** Everything that happened to a customer, an installation or a connection, newest first, by day. */
export function Timeline({ of }: { of: Of }) {
  const [{ kind }, set] = useFilters()
  const chosen = kinds.find(([name]) => name === kind)?.[0]
  const list = useList('listTimeline', { query: { ...of, ...(chosen && { kind: chosen as Kind }) } as never })
  const { items, hasNextPage, isFetchingNextPage, error } = list
  // A page may be empty although older ones are not.
  const seeks = items?.length === 0 && hasNextPage && !isFetchingNextPage && error == null
  useEffect(() => {
    if (seeks) list.fetchNextPage()
  }, [seeks, list.fetchNextPage])
  const days = useMemo(() => byDay(foldRuns(items ?? [])), [items])
  return (
    <div className="timeline-frame">
      <fieldset className="switch">
        <legend className="visually-hidden">What the time line shows</legend>
        {[['', 'All'] as const, ...kinds].map(([name, label]) => (
          <label key={name} className={(chosen ?? '') === name ? 'on' : undefined}>
            <input
              type="radio"
              name="kind"
              className="visually-hidden"
              checked={(chosen ?? '') === name}
              onChange={() => set({ kind: name })}
            />
            {label}
          </label>
        ))}
      </fieldset>
      {error != null && <Problem error={error} onRetry={() => list.refetch()} />}
      {items === undefined && error == null && <Skeleton lines={6} />}
      {items?.length === 0 && !hasNextPage && (
        <Empty
          title="Nothing has happened yet"
          text="Connects, installs, reads, writes, failures and changes of people will be here."
        />
      )}
      {days.map(({ day, runs }) => (
        <section key={day} aria-label={day}>
          <h3 className="timeline-day">{day}</h3>
          <ol className="timeline">
            {runs.map((run) => (
              <RunOfEntries key={run.entries[0]?.id} run={run} of={of} />
            ))}
          </ol>
        </section>
      ))}
      {hasNextPage && (
        <Button busy={isFetchingNextPage} onClick={() => list.fetchNextPage()}>
          {isFetchingNextPage ? 'Loading…' : 'Show older'}
        </Button>
      )}
    </div>
  )
}

function byDay(runs: Run[]): { day: string; runs: Run[] }[] {
  const days: { day: string; runs: Run[] }[] = []
  for (const run of runs) {
    const day = dayOf(run.entries[0]?.time ?? '')
    const last = days.at(-1)
    if (last?.day === day) last.runs.push(run)
    else days.push({ day, runs: [run] })
  }
  return days
}

function RunOfEntries({ run, of }: { run: Run; of: Of }) {
  const [open, setOpen] = useState(false)
  const [first] = run.entries
  if (!first) return null
  if (run.entries.length === 1) return <Entry entry={first} of={of} />
  const records = run.entries.reduce((sum, { details }) => sum + Number(details?.['recordsProcessed'] ?? 0), 0)
  return (
    <>
      <li>
        <Time at={first.time} />
        <Dot entry={first} />
        <button type="button" className="timeline-title" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name={open ? 'down' : 'right'} />
          <span>
            {counted(run.entries.length, 'read')} of {first.objectName}, {counted(records, 'record')}
          </span>
        </button>
      </li>
      {open && run.entries.map((entry) => <Entry key={entry.id} entry={entry} of={of} nested />)}
    </>
  )
}

function Entry({ entry, of, nested = false }: { entry: TimelineEntry; of: Of; nested?: boolean }) {
  const [open, setOpen] = useState(false)
  const actorName = useActorName()
  const { actor, objectName } = entry
  return (
    <li className={nested ? 'nested' : undefined}>
      <Time at={entry.time} />
      <Dot entry={entry} />
      <div>
        <button type="button" className="timeline-title" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name={open ? 'down' : 'right'} />
          <span className="wrap">
            {objectName !== undefined && !titleOf(entry).includes(objectName) && <strong>{objectName} </strong>}
            {titleOf(entry)} <span className="muted small">{actor ? `by ${actorName(actor)}` : ''}</span>
          </span>
        </button>
        {open && <EntryDetails entry={entry} of={of} />}
      </div>
    </li>
  )
}

/** The title for people: a request is named by its operation, in words. */
function titleOf({ kind, title, details }: TimelineEntry): string {
  const action = details?.['action']
  return kind === 'audit' && typeof action === 'string' ? `Request: ${words(action).toLowerCase()}` : title
}

function EntryDetails({ entry, of }: { entry: TimelineEntry; of: Of }) {
  const nameOf = useIntegrationName()
  const actorName = useActorName()
  const { details = {}, integrationId, installationId, connectionId, operationId, groupRef, actor } = entry
  const { configId, previousConfigId, ...others } = details
  const values = Object.entries(others)
  const nested = values.filter(([, value]) => typeof value === 'object' && value !== null)
  const config =
    entry.kind === 'installation.config' && typeof configId === 'string' && integrationId && installationId
      ? {
          path: `${paths.installation(integrationId, installationId)}/config`,
          search: { to: configId, ...(typeof previousConfigId === 'string' && { from: previousConfigId }) },
        }
      : undefined
  return (
    <div className="timeline-details">
      <Facts
        facts={[
          ['Time', <Time key="time" at={entry.time} format="absolute" />],
          ['Kind', words(entry.kind.replace('.', ' '))],
          [
            'Operation',
            operationId && <ProjectLink path={paths.operation(operationId)}>Open the operation</ProjectLink>,
          ],
          ['Config', config && <ProjectLink {...config}>What changed</ProjectLink>],
          [
            'Installation',
            !('installationId' in of) && installationId && integrationId && (
              <ProjectLink path={paths.installation(integrationId, installationId)}>
                {nameOf(integrationId)}
              </ProjectLink>
            ),
          ],
          [
            'Connection',
            !('connectionId' in of) && connectionId && (
              <ConnectionLink id={connectionId}>Open the connection</ConnectionLink>
            ),
          ],
          ['Customer', !('groupRef' in of) && groupRef && <CustomerLink groupRef={groupRef} />],
          ['By', actor && `${actorName(actor)} (${words(actor.kind).toLowerCase()})`],
          ...values
            .filter((value) => !nested.includes(value))
            .map(([name, value]): [string, string] => [words(name), String(value)]),
          ['Id', <Id key="id" id={entry.id} />],
        ]}
      />
      {nested.length > 0 && <JsonTree value={Object.fromEntries(nested)} label="the details" />}
    </div>
  )
}

const dots: Partial<Record<TimelineEntry['kind'], Meaning>> = {
  'reads.paused': 'warning',
  'schema.changed': 'warning',
  'connection.deleted': 'warning',
  'installation.deleted': 'warning',
}
const statuses = { success: 'ok', failure: 'error', in_progress: 'info' } as const

function Dot({ entry }: { entry: TimelineEntry }) {
  const { kind, status } = entry
  const meaning = status ? statuses[status] : (dots[kind] ?? 'none')
  const label = status ? words(status) : undefined
  return <span className={`dot ${meaning}`} {...(label && { role: 'img', 'aria-label': label, title: label })} />
}
