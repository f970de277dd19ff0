import { useDeferredValue } from 'react'
import { CountCharts } from '../../parts/count-charts.tsx'
import { FailingList } from '../../parts/failing.tsx'
import { count } from '../../parts/numbers.ts'
import { Card, Page } from '../../parts/page.tsx'
import { ProjectLink } from '../../parts/project-links.tsx'
import { RangeSwitch } from '../../parts/range-switch.tsx'
import { Loaded, Skeleton } from '../../parts/states.tsx'
import { useCall } from '../../session/data.ts'
import { Backlog } from './backlog.tsx'
import { Figures } from './figures.tsx'
import { FirstSteps } from './first-steps.tsx'
import { Lately } from './lately.tsx'
import { TopInstallations } from './top-installations.tsx'
import type { Overview } from './types.ts'
import './overview.css'

/** The first page after sign-in: what fails comes first. */
export default function OverviewPage() {
  const overview = useCall('getOverview', {})
  return (
    <Page title="Overview">
      <Loaded query={overview} lines={8}>
        {(data) => (isEmpty(data) ? <FirstSteps overview={data} /> : <Filled overview={data} />)}
      </Loaded>
    </Page>
  )
}

function isEmpty({ installations, connections }: Overview): boolean {
  return installations.total + connections.created + connections.working + connections.bad_credentials === 0
}

function Filled({ overview }: { overview: Overview }) {
  // What fails and the figures are shown before the rest is drawn.
  const showsRest = useDeferredValue(true, false)
  return (
    <>
      {overview.installations.total === 0 && <FirstSteps overview={overview} />}
      <FailingCard overview={overview} />
      <Figures overview={overview} />
      {showsRest && (
        <>
          <Card title="Activity" actions={<RangeSwitch />}>
            <CountCharts />
          </Card>
          <div className="grid-2">
            <TopInstallations />
            <Backlog overview={overview} />
          </div>
          <Lately />
        </>
      )}
    </>
  )
}

const shownFailing = 5

function FailingCard({ overview }: { overview: Overview }) {
  const failing = useCall('listFailingInstallations', { query: { pageSize: shownFailing } })
  const { unhealthy, total } = overview.installations
  if (total === 0) return null
  return (
    <Card
      title={
        <>
          Needs attention{' '}
          {unhealthy.count > 0 && (
            <span className="tag error">
              {count(unhealthy.count)}
              {unhealthy.capped ? '+' : ''}
            </span>
          )}
        </>
      }
      actions={
        unhealthy.count > 0 && (
          <ProjectLink path="installations" search={{ healthStatus: 'unhealthy' }}>
            All unhealthy installations
          </ProjectLink>
        )
      }
    >
      <Loaded query={failing}>
        {({ results, pagination }) =>
          results.length === 0 ? (
            <p className="all-well">
              <span className="status ok">
                <span className="dot" aria-hidden="true" />
                Every installation works.
              </span>
            </p>
          ) : (
            <>
              <FailingList items={results} />
              {!pagination.done && (
                <p className="muted small">
                  These are the worst. <Reasons overview={overview} />
                </p>
              )}
            </>
          )
        }
      </Loaded>
      {failing.isPending && <Skeleton />}
    </Card>
  )
}

const reasonWords = {
  bad_credentials: 'refused credentials',
  backfill_failed: 'failed backfills',
  reads_paused: 'paused after failures',
  subscription_failed: 'failed subscriptions',
  reads_failing: 'retried reads',
} as const

/** How many installations fail for each reason. */
function Reasons({ overview: { failing } }: { overview: Overview }) {
  const parts = failing
    .filter((reason) => reason.count > 0)
    .map(({ reason, count: found, capped }) => `${count(found)}${capped ? '+' : ''} ${reasonWords[reason]}`)
  return <>In all: {parts.join(', ')}.</>
}
