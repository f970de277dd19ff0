import type { Output } from '@mortise/client'
import { ConfirmButton } from '../../parts/dialog.tsx'
import { useIntegrationName } from '../../parts/integrations.ts'
import { count, counted } from '../../parts/numbers.ts'
import { Card, Facts } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { CustomerLink, ProjectLink } from '../../parts/project-links.tsx'
import { Problem } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useCall, useChange } from '../../session/data.ts'
import { useMay } from '../../session/project.tsx'
import type { Destination } from './destination-kinds.ts'

type Resend = Output<'getResend'>
type Failure = Resend['failures'][number]

const soonMs = 2_000
/** Failures that are shown before the reader opens the others. */
const shownFirst = 5

function useResend({ id, resendTime }: Destination) {
  const query = useCall('getResend', { destination: id }, { enabled: resendTime !== undefined })
  const runs = query.data?.status === 'in_progress'
  useCall('getResend', { destination: id }, { enabled: runs, everyMs: soonMs })
  return query
}

/** How far the newest resend is, or why it failed. One that succeeded is a fact of the destination. */
export function ResendProgress({ destination }: { destination: Destination }) {
  const { data: resend, error, refetch } = useResend(destination)
  if (destination.resendTime === undefined) return null
  if (error != null) return <Problem error={error} onRetry={refetch} />
  if (!resend || (resend.status !== 'in_progress' && resend.status !== 'failure')) return null
  if (resend.status === 'failure') return <Failed resend={resend} />
  return (
    <Card
      title={isWhole(resend) ? 'Resending all records' : 'Resending records'}
      actions={<Stop {...{ destination }} />}
    >
      <div className="stack">
        <Bar resend={resend} />
        <div className="row">
          <span className="number" role="status">
            {progressOf(resend)}
          </span>
          {!isWhole(resend) && <Scope resend={resend} />}
        </div>
        {resend.waitsFor === 'destination' && (
          <p>The destination is disabled. The resend continues when you enable it.</p>
        )}
        <Failures resend={resend} />
        <p className="muted small">You can leave this page; the resend continues.</p>
      </div>
    </Card>
  )
}

function Failed({ resend }: { resend: Resend }) {
  const { reads, records, endTime } = resend
  return (
    <section className="failure" aria-label="What the newest resend did not read">
      <h2>
        The newest resend is incomplete: {count(reads.failed)} of {counted(reads.total, 'read')} failed
      </h2>
      <div className="stack">
        <p>
          {reads.failed < reads.total && <>The others have read {counted(records, 'record')}. </>}
          It ended <Time at={endTime} />. Repair the cause, then resend the records of these customers.
        </p>
        {!isWhole(resend) && <Scope resend={resend} />}
        <Failures resend={resend} />
      </div>
    </section>
  )
}

/** The newest resend, if there is nothing to do about it. */
export function LastResend({ destination }: { destination: Destination }) {
  const { data: resend } = useResend(destination)
  if (destination.resendTime === undefined || !resend) return null
  const { status, records, endTime } = resend
  if (status !== 'success' && status !== 'canceled') return null
  return (
    <Card title="Newest resend">
      <Facts
        facts={[
          ['Result', <Status key="result" state={status} label={status === 'success' ? 'Done' : 'Stopped'} />],
          ['Records', count(records)],
          ['Customers', status === 'success' && resend.installations.total === 0 ? 'None sends records here' : ''],
          ['Only', !isWhole(resend) && <Scope key="scope" resend={resend} />],
          ['Ended', endTime && <Time at={endTime} />],
        ]}
      />
    </Card>
  )
}

function Bar({ resend: { isListed, reads } }: { resend: Resend }) {
  const label = 'Reads that have ended'
  // While installations are still listed, the share would shrink.
  if (!isListed || reads.total === 0) return <progress className="progress" aria-label={label} />
  return <progress className="progress" max={reads.total} value={reads.done} aria-label={label} />
}

function progressOf({ installations: { total, done, failed }, records, isListed }: Resend): string {
  const ended = `${count(done)} of ${isListed ? '' : 'at least '}${counted(total, 'installation')} done`
  return `${ended}${failed > 0 ? `, ${count(failed)} failed` : ''}, ${counted(records, 'record')} read`
}

function isWhole({ integrationId, groupRef, objectName }: Resend): boolean {
  return integrationId === undefined && groupRef === undefined && objectName === undefined
}

/** What the resend is limited to. */
function Scope({ resend: { integrationId, groupRef, objectName } }: { resend: Resend }) {
  const nameOf = useIntegrationName()
  return (
    <span className="row">
      {integrationId !== undefined && (
        <ProjectLink path={paths.integration(integrationId)}>{nameOf(integrationId)}</ProjectLink>
      )}
      {objectName !== undefined && <span>{objectName}</span>}
      {groupRef !== undefined && <CustomerLink groupRef={groupRef} />}
    </span>
  )
}

function Failures({ resend: { failures, reads } }: { resend: Resend }) {
  if (failures.length === 0) return null
  const more = reads.failed - failures.length
  return (
    <div className="stack">
      <FailureList failures={failures.slice(0, shownFirst)} />
      {failures.length > shownFirst && (
        <details>
          <summary>{counted(failures.length - shownFirst, 'more failure')}</summary>
          <FailureList failures={failures.slice(shownFirst)} />
        </details>
      )}
      {more > 0 && <p className="muted small">{counted(more, 'more read')} failed.</p>}
    </div>
  )
}

function FailureList({ failures }: { failures: Failure[] }) {
  return (
    <ul className="resend-failures" aria-label="Reads that failed">
      {failures.map(({ installationId, groupRef, objectName, operationId, error }) => (
        <li key={`${installationId} ${objectName}`}>
          <span className="row">
            {groupRef === undefined ? (
              <span className="muted">A deleted installation</span>
            ) : (
              <CustomerLink groupRef={groupRef} />
            )}
            {operationId === undefined ? (
              <span>{objectName}</span>
            ) : (
              <ProjectLink path={paths.operation(operationId)}>Read of {objectName}</ProjectLink>
            )}
          </span>
          <span className="wrap">{error}</span>
        </li>
      ))}
    </ul>
  )
}

function Stop({ destination: { id } }: { destination: Destination }) {
  const may = useMay('operator')
  const cancel = useChange('cancelResend', {
    refreshes: ['getResend', 'getDestination', 'searchOperations'],
    done: 'The resend is stopped.',
  })
  return (
    <ConfirmButton
      look="plain"
      label="Stop"
      title="Stop the resend"
      text="Its reads end. Records that they have read are still delivered. Schedules are not affected."
      action="Stop the resend"
      busy={cancel.isPending}
      disabled={!may}
      onConfirm={() => cancel.mutateAsync({ destination: id }).catch(() => undefined)}
    />
  )
}
