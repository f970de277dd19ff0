import { useParams } from '@tanstack/react-router'
import { CustomerLinkButton } from '../../parts/connect-link.tsx'
import { Id } from '../../parts/copy-button.tsx'
import { CountCharts } from '../../parts/count-charts.tsx'
import { FailingList } from '../../parts/failing.tsx'
import { count } from '../../parts/numbers.ts'
import { Card, Columns, Facts, Page } from '../../parts/page.tsx'
import { ProjectLink } from '../../parts/project-links.tsx'
import { RangeSwitch } from '../../parts/range-switch.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Timeline } from '../../parts/timeline.tsx'
import { useCall, useList } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'
import { MessagesOf } from './messages-of.tsx'
import { ConnectionsOf, InstallationsOf } from './what-they-have.tsx'

/** One customer's whole story: what they have, what fails, and everything that happened. */
export default function CustomerPage() {
  const project = useProjectRef()
  const { groupRef } = useParams({ strict: false }) as { groupRef: string }
  const group = useCall('getGroup', { groupRef })
  const connections = useList('listConnections', { query: { groupRef } })
  const installations = useList('listInstallationsForProject', { query: { groupRef } })
  const failing = useCall('listFailingInstallations', { query: { groupRef, pageSize: 20 } })
  const failures = failing.data?.results ?? []
  const consumers = [
    ...new Map((connections.items ?? []).map(({ consumer }) => [consumer.consumerRef, consumer])).values(),
  ]
  const parents = [{ label: 'Customers', to: `/${project}/customers` }]
  if (!group.data && group.error != null)
    return (
      <Page title={groupRef} parents={parents}>
        <Loaded query={group}>{() => null}</Loaded>
      </Page>
    )
  const unhealthy = installations.items?.filter(({ healthStatus }) => healthStatus === 'unhealthy').length ?? 0
  return (
    <Page
      title={group.data?.groupName || groupRef}
      parents={parents}
      state={
        installations.items !== undefined &&
        installations.items.length > 0 && (
          <Status
            state={unhealthy > 0 ? 'unhealthy' : 'healthy'}
            reason={unhealthy > 0 ? `${unhealthy} of ${installations.items.length} installations` : undefined}
          />
        )
      }
      actions={
        <CustomerLinkButton
          key={consumers.length > 0 ? 'known' : 'unknown'}
          groupRef={groupRef}
          consumerRefs={consumers.map(({ consumerRef }) => consumerRef)}
        />
      }
    >
      <Columns
        main={
          <>
            {failures.length > 0 && (
              <Card title="Needs attention">
                <FailingList items={failures} showsCustomer={false} />
              </Card>
            )}
            <InstallationsOf list={installations} />
            <ConnectionsOf list={connections} />
            <MessagesOf groupRef={groupRef} />
            <Card title="What happened">
              <Timeline of={{ groupRef }} />
            </Card>
          </>
        }
        side={
          <>
            <Card title="Facts">
              <Loaded query={group}>
                {({ groupName, createTime, updateTime }) => (
                  <Facts
                    facts={[
                      ['Ref', <Id key="ref" id={groupRef} />],
                      ['Name', groupName],
                      ['People', consumers.length > 0 && <People key="people" consumers={consumers} />],
                      ['Created', <Time key="created" at={createTime} />],
                      ['Changed', updateTime && <Time at={updateTime} />],
                    ]}
                  />
                )}
              </Loaded>
              <ul className="links">
                <li>
                  <ProjectLink path="operations" search={{ groupRef }}>
                    Operations
                  </ProjectLink>
                </li>
                <li>
                  <ProjectLink path="messages" search={{ groupRef }}>
                    Messages
                  </ProjectLink>
                </li>
                <li>
                  <ProjectLink path="messages" search={{ groupRef, state: 'failed' }}>
                    Failed messages
                  </ProjectLink>
                </li>
              </ul>
            </Card>
            <Card title="Activity" actions={<RangeSwitch />}>
              <CountCharts scope={{ groupRef }} height={80} />
            </Card>
          </>
        }
      />
    </Page>
  )
}

const peopleShown = 5

/** Those who connected accounts: the first few, as there may be hundreds. */
function People({ consumers }: { consumers: { consumerRef: string; consumerName: string }[] }) {
  const more = consumers.length - peopleShown
  return (
    <ul>
      {consumers.slice(0, peopleShown).map(({ consumerRef, consumerName }) => (
        <li key={consumerRef}>{consumerName || consumerRef}</li>
      ))}
      {more > 0 && <li className="muted">{`and ${count(more)} more`}</li>}
    </ul>
  )
}
