import type { Item, Output } from '@mortise/client'
import { CountCharts } from '../../parts/count-charts.tsx'
import { count, counted } from '../../parts/numbers.ts'
import { Card } from '../../parts/page.tsx'
import { RangeSwitch } from '../../parts/range-switch.tsx'
import { Scrolls } from '../../parts/scrolls.tsx'
import { Spark } from '../../parts/spark.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Status, words } from '../../parts/status.tsx'
import { duration, Time, useNow } from '../../parts/time.tsx'
import { useCall } from '../../session/data.ts'
import { ObjectActions } from './object-actions.tsx'
import type { InstallationDetail } from './types.ts'

export type ObjectStatus = Output<'getInstallationStatus'>['objects'][number]
export type Schedule = Item<'listReadSchedules'>

const progressEveryMs = 2_000

/** Each object that the installation reads: where it stands, and what can be done. */
export function ObjectsTab({ installation }: { installation: InstallationDetail }) {
  const { id: installationId, integrationId } = installation
  const ids = { integrationId, installationId }
  const status = useCall('getInstallationStatus', ids)
  const schedules = useCall('listReadSchedules', ids)
  return (
    <>
      <Card title="Objects" flush>
        <Loaded query={status}>
          {({ objects }) =>
            objects.length === 0 ? (
              <Empty
                title="This installation reads no object"
                text="It writes, subscribes or uses the proxy. Add an object under Config to read it."
              />
            ) : (
              <Scrolls>
                <table className="plain-table objects">
                  <thead>
                    <tr>
                      <th>Object</th>
                      <th>State</th>
                      <th>Schedule</th>
                      <th>Read up to</th>
                      <th>Next read</th>
                      <th>Records, 30 days</th>
                      <th>
                        <span className="visually-hidden">Actions</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {objects.map((object) => (
                      <ObjectRow
                        key={object.objectName}
                        object={object}
                        schedule={schedules.data?.find(({ objectName }) => objectName === object.objectName)}
                        installation={installation}
                      />
                    ))}
                  </tbody>
                </table>
              </Scrolls>
            )
          }
        </Loaded>
      </Card>
      <Card title="Activity" actions={<RangeSwitch />}>
        <CountCharts scope={{ installationId }} />
      </Card>
    </>
  )
}

const pauseReasons: Record<NonNullable<Schedule['pauseReason']>, string> = {
  request: 'Paused on request',
  config: 'Paused by the config',
  failures: 'Paused after repeated failures',
  credentials: 'Paused, because the credential is refused',
  removed: 'Paused, because a deploy removed the object',
}

function ObjectRow({
  object,
  schedule,
  installation,
}: {
  object: ObjectStatus
  schedule: Schedule | undefined
  installation: InstallationDetail
}) {
  const { objectName, displayName, failure } = object
  const reason = schedule?.pauseReason
  return (
    <tr>
      <th scope="row">
        {displayName || objectName}
        {displayName !== objectName && <div className="muted small mono">{objectName}</div>}
      </th>
      <td>
        <Status state={object.state === 'backfilling' ? 'running' : object.state} label={words(object.state)} />
        {reason !== undefined && <div className="muted small">{pauseReasons[reason]}</div>}
        {failure !== undefined && (
          <div className="small wrap">
            {failure.detail}{' '}
            {failure.since !== undefined && (
              <span className="muted">
                since <Time at={failure.since} />
              </span>
            )}
          </div>
        )}
        {object.state === 'backfilling' && <Backfill installation={installation} object={object} />}
      </td>
      <td>
        {schedule?.schedule === undefined ? <span className="muted">None</span> : <code>{schedule.schedule}</code>}
        {schedule?.deletions !== undefined && <DeletionCheck check={schedule.deletions} />}
        {schedule?.waitsFor !== undefined && (
          <div className="muted small">
            Waits for the {schedule.waitsFor === 'scheduled' ? 'running' : schedule.waitsFor} read
          </div>
        )}
      </td>
      <td>
        <Time at={object.lastReadTime} />
        {schedule?.lastRunTime !== undefined && (
          <div className="muted small">
            Last run <Time at={schedule.lastRunTime} />
            {schedule.lastRunStatus !== undefined && `, ${words(schedule.lastRunStatus).toLowerCase()}`}
          </div>
        )}
      </td>
      <td>
        <NextRead at={object.nextReadTime ?? schedule?.nextRunTime} />
      </td>
      <td className="spark-cell">
        <RecordsSpark installationId={installation.id} objectName={objectName} />
      </td>
      <td className="right">
        <ObjectActions
          installation={installation}
          objectName={objectName}
          isPaused={reason !== undefined || object.state === 'paused'}
        />
      </td>
    </tr>
  )
}

/** When deleted records that the provider does not report are looked for. */
function DeletionCheck({ check }: { check: NonNullable<Schedule['deletions']> }) {
  const { schedule, operationId, lastCheckTime, lastCheckStatus, error } = check
  return (
    <>
      <div className="muted small">
        Deletions <code>{schedule}</code>
        {operationId !== undefined && ', running'}
      </div>
      {lastCheckTime !== undefined && (
        <div className="muted small">
          Last check <Time at={lastCheckTime} />
          {lastCheckStatus !== undefined && `, ${words(lastCheckStatus).toLowerCase()}`}
        </div>
      )}
      {error !== undefined && <div className="small wrap">{error}</div>}
    </>
  )
}

/** A time in the past means now. */
function NextRead({ at }: { at: string | undefined }) {
  const now = useNow()
  if (at !== undefined && Date.parse(at) <= now) return <>Now</>
  return <Time at={at} />
}

/** How far a backfill is. A small share of the first seconds says little about the rest, so the end is a guess. */
function Backfill({ installation, object }: { installation: InstallationDetail; object: ObjectStatus }) {
  const now = useNow()
  const { data } = useCall(
    'getBackfillProgress',
    { integrationId: installation.integrationId, installationId: installation.id, objectName: object.objectName },
    { everyMs: progressEveryMs },
  )
  const done = data?.recordsProcessed ?? object.recordsRead ?? 0
  const total = data?.recordsEstimatedTotal ?? object.recordsTotal
  if (total === undefined || total === 0) return <div className="muted small">{counted(done, 'record')} so far</div>
  const tookMs = data?.createTime === undefined ? 0 : now - Date.parse(data.createTime)
  const leftMs = done > 0 ? (tookMs / done) * Math.max(0, total - done) : 0
  return (
    <div className="backfill">
      <progress max={total} value={Math.min(done, total)} aria-label={`Backfill of ${object.displayName}`} />
      <span className="muted small number">
        {count(done)} of {count(total)}
        {leftMs > 1_000 && `, about ${duration(leftMs)} left`}
      </span>
    </div>
  )
}

function RecordsSpark({ installationId, objectName }: { installationId: string; objectName: string }) {
  const { data } = useCall(
    'listCounts',
    { query: { installationId, objectName, interval: 'day' } },
    { staleMs: 60_000 },
  )
  if (!data) return null
  const { recordsRead } = data.total
  return (
    <>
      <Spark
        values={data.results.map(({ counts }) => counts.recordsRead)}
        label={`${counted(recordsRead, 'record')} of ${objectName} read in 30 days, by day`}
      />
      <span className="small muted number">{count(recordsRead)}</span>
    </>
  )
}
