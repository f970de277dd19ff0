import { useParams } from '@tanstack/react-router'
import { FailingList } from '../../parts/failing.tsx'
import { useIntegrationName } from '../../parts/integrations.ts'
import { Card, Page, Tabs } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { ConnectionLink, CustomerLink, ProjectLink } from '../../parts/project-links.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Timeline } from '../../parts/timeline.tsx'
import { useCall } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'
import { ConfigTab } from './config-tab.tsx'
import { DeleteInstallation } from './delete-installation.tsx'
import { ObjectsTab } from './objects-tab.tsx'
import { OperationsTab } from './operations-tab.tsx'
import { PauseAll } from './pause-all.tsx'
import type { InstallationDetail, InstallationIds } from './types.ts'
import './installations.css'

const tabs = [
  ['objects', 'Objects'],
  ['timeline', 'Time line'],
  ['config', 'Config'],
  ['operations', 'Operations'],
] as const

/** One installation: its health and the reason first, then its objects, history, config and operations. */
export default function InstallationPage() {
  const project = useProjectRef()
  const { tab = 'objects', ...ids } = useParams({ strict: false }) as InstallationIds & { tab?: string }
  const { integrationId, installationId } = ids
  const nameOf = useIntegrationName()
  const installation = useCall('getInstallation', { integrationId, installationId })
  const { data } = installation
  const base = `/${project}/${paths.installation(integrationId, installationId)}`
  const parents = [{ label: 'Installations', to: `/${project}/installations` }]
  if (!data)
    return (
      <Page title="Installation" parents={parents}>
        <Loaded query={installation}>{() => null}</Loaded>
      </Page>
    )
  const { group, connection } = data
  return (
    <Page
      title={`${group.groupName || group.groupRef} · ${nameOf(integrationId)}`}
      parents={parents}
      fills={tab === 'operations'}
      state={<Status state={data.healthStatus} />}
      about={
        <>
          Customer <CustomerLink {...group} /> · Integration{' '}
          <ProjectLink path={paths.integration(integrationId)}>{nameOf(integrationId)}</ProjectLink> · Connection{' '}
          <ConnectionLink id={connection.id}>{connection.provider}</ConnectionLink> ·{' '}
          <ProjectLink path="messages" search={{ installationId }}>
            Messages
          </ProjectLink>
        </>
      }
      actions={
        <>
          <PauseAll ids={ids} />
          <DeleteInstallation installation={data} />
        </>
      }
      tabs={<Tabs tabs={tabs.map(([name, label]) => ({ label, to: name === 'objects' ? base : `${base}/${name}` }))} />}
    >
      <Loaded query={installation}>
        {() => (
          <>
            <Failures installation={data} />
            {tab === 'timeline' ? (
              <Card title="What happened">
                <Timeline of={{ installationId }} />
              </Card>
            ) : tab === 'config' ? (
              <ConfigTab installation={data} />
            ) : tab === 'operations' ? (
              <OperationsTab installationId={installationId} />
            ) : (
              <ObjectsTab installation={data} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** What fails, since when, why, and the button that mends it. */
function Failures({
  installation: { id, integrationId, group, healthReasons = [] },
}: {
  installation: InstallationDetail
}) {
  const failing = useCall('listFailingInstallations', {
    query: { groupRef: group.groupRef, integrationId, pageSize: 100 },
  })
  const items = failing.data?.results.filter(({ installationId }) => installationId === id) ?? []
  if (items.length > 0)
    return (
      <Card title="Needs attention">
        <FailingList items={items} showsCustomer={false} showsInstallation={false} />
      </Card>
    )
  // The list of causes may come later than the health, and its role may be missing.
  if (healthReasons.length === 0) return null
  return (
    <div className="problem" role="status">
      {healthReasons.map((reason) => (
        <p key={reason} className="wrap">
          {reason}
        </p>
      ))}
    </div>
  )
}
