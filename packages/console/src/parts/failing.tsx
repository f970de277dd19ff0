import type { Item } from '@mortise/client'
import { useChange } from '../session/data.ts'
import { useMay } from '../session/project.tsx'
import { Button } from './button.tsx'
import { ReconnectButton } from './connect-link.tsx'
import { paths } from './paths.ts'
import { CustomerLink, ProjectLink } from './project-links.tsx'
import { Status } from './status.tsx'
import { Time } from './time.tsx'

export type Failing = Item<'listFailingInstallations'>

export const failureReasons: Record<Failing['reason'], string> = {
  bad_credentials: 'Credential refused',
  backfill_failed: 'Backfill failed',
  reads_paused: 'Reads paused after failures',
  subscription_failed: 'Subscription failed',
  reads_failing: 'Reads failing, retried',
}

/** Operations whose answers change when something is mended. */
export const healthQueries = [
  'listFailingInstallations',
  'getOverview',
  'getInstallation',
  'getInstallationStatus',
  'listReadSchedules',
  'listInstallationsForProject',
  'listTimeline',
  'searchOperations',
  'getBackfillProgress',
] as const

/** What the page does not say itself. */
interface Shown {
  showsCustomer: boolean
  showsInstallation: boolean
}

/** Why installations fail: what, since when, for whom, why, and the button that mends it. */
export function FailingList({
  items,
  showsCustomer = true,
  showsInstallation = true,
}: { items: Failing[] } & Partial<Shown>) {
  return (
    <ul className="failing">
      {items.map((item) => (
        <FailingItem
          key={`${item.installationId}${item.reason}${item.objectName ?? ''}`}
          item={item}
          showsCustomer={showsCustomer}
          showsInstallation={showsInstallation}
        />
      ))}
    </ul>
  )
}

function FailingItem({ item, showsCustomer, showsInstallation }: { item: Failing } & Shown) {
  const { reason, since, detail, lastError, objectName, integrationId, installationId } = item
  return (
    <li>
      <div className="failing-text">
        <div className="row">
          <Status state={reason === 'reads_failing' ? 'warning' : 'failing'} label={failureReasons[reason]} />
          {showsCustomer && (
            <strong>
              <CustomerLink groupRef={item.groupRef} groupName={item.groupName} />
            </strong>
          )}
          {showsInstallation ? (
            <ProjectLink path={paths.installation(integrationId, installationId)}>
              {item.integrationName}
              {objectName !== undefined && ` · ${objectName}`}
            </ProjectLink>
          ) : (
            objectName !== undefined && <strong>{objectName}</strong>
          )}
          <span className="muted small">
            since <Time at={since} />
          </span>
        </div>
        <p className="wrap">{detail}</p>
        {lastError !== undefined && !detail.includes(lastError) && (
          <blockquote className="quote">
            <span className="visually-hidden">{item.provider} answered: </span>
            {lastError}
          </blockquote>
        )}
      </div>
      <Mend item={item} showsInstallation={showsInstallation} />
    </li>
  )
}

/** The action that mends a failure. */
function Mend({ item, showsInstallation }: { item: Failing; showsInstallation: boolean }) {
  const { reason, connectionId, integrationId, installationId } = item
  if (reason === 'bad_credentials') return <ReconnectButton connectionId={connectionId} />
  if (reason === 'reads_paused') return <ResumeButton item={item} />
  if (reason === 'backfill_failed' && item.objectName !== undefined)
    return <BackfillButton item={item} objectName={item.objectName} />
  if (!showsInstallation) return null
  return (
    <ProjectLink path={paths.installation(integrationId, installationId)} className="button plain">
      Open
    </ProjectLink>
  )
}

const whoMay = 'Operators, developers and owners can do this.'

function ResumeButton({ item: { integrationId, installationId, objectName } }: { item: Failing }) {
  const may = useMay('operator')
  const resume = useChange('unpauseReads', { refreshes: [...healthQueries], done: 'The reads resume now.' })
  return (
    <Button
      disabled={!may}
      title={may ? undefined : whoMay}
      busy={resume.isPending}
      onClick={() =>
        resume.mutate({ integrationId, installationId, body: objectName ? { objects: [objectName] } : {} })
      }
    >
      Resume reads
    </Button>
  )
}

function BackfillButton({ item, objectName }: { item: Failing; objectName: string }) {
  const { integrationId, groupRef } = item
  const may = useMay('operator')
  const start = useChange('triggerRead', { refreshes: [...healthQueries], done: 'The backfill continues.' })
  return (
    <Button
      disabled={!may}
      title={may ? undefined : whoMay}
      busy={start.isPending}
      onClick={() => start.mutate({ integrationId, objectName, body: { mode: 'async', groupRef, backfill: true } })}
    >
      Backfill again
    </Button>
  )
}
