import { useNavigate, useParams } from '@tanstack/react-router'
import { ReconnectButton } from '../../parts/connect-link.tsx'
import { Id } from '../../parts/copy-button.tsx'
import { ConfirmButton } from '../../parts/dialog.tsx'
import { useIntegrationName } from '../../parts/integrations.ts'
import { Card, Columns, Facts, Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { CustomerLink, ProjectLink } from '../../parts/project-links.tsx'
import { Scrolls } from '../../parts/scrolls.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Timeline } from '../../parts/timeline.tsx'
import { useCall, useChange, useList } from '../../session/data.ts'
import { useMay, useProjectRef } from '../../session/project.tsx'
import { Metadata } from './metadata.tsx'
import { schemeWords } from './scheme-words.ts'
import { TestButton } from './test-button.tsx'
import { TokenCard } from './token-card.tsx'
import { type Connection, statusWords } from './types.ts'

/** One connected account: whether it works, since when, why not, and how to mend it. */
export default function ConnectionPage() {
  const project = useProjectRef()
  const { connectionId } = useParams({ strict: false }) as { connectionId: string }
  const connection = useCall('getConnection', { connectionId, query: { includeTokenInfo: true } })
  const { data } = connection
  const parents = [{ label: 'Connections', to: `/${project}/connections` }]
  if (!data)
    return (
      <Page title="Connection" parents={parents}>
        <Loaded query={connection}>{() => null}</Loaded>
      </Page>
    )
  return (
    <Page
      title={`${data.group.groupName || data.group.groupRef} at ${data.provider}`}
      parents={parents}
      state={<Status state={data.status} label={statusWords[data.status]} />}
      actions={
        <>
          <TestButton connection={data} />
          <ReconnectButton connectionId={connectionId} />
          <DeleteButton connection={data} />
        </>
      }
    >
      <Loaded query={connection}>
        {() => (
          <Columns
            main={
              <>
                <State connection={data} />
                <UsedBy connectionId={connectionId} />
                <Card title="What happened">
                  <Timeline of={{ connectionId }} />
                </Card>
              </>
            }
            side={
              <>
                <FactsCard connection={data} />
                <TokenCard connection={data} />
                <Metadata connection={data} />
              </>
            }
          />
        )}
      </Loaded>
    </Page>
  )
}

const outcomes = {
  works: ['working', 'The provider accepted the credential'],
  refused: ['bad_credentials', 'The provider refused the credential'],
  unreachable: ['unreachable', 'The provider gave no usable answer'],
  notChecked: ['none', 'The provider has no request that only tests a credential'],
} as const

/** Why it does not work: since when, in the provider's words, and the next step. */
function State({ connection }: { connection: Connection }) {
  const { status, lastCheck, group, consumer, id } = connection
  // What is known to the customer's own page is known here: since when, and why.
  const info = useCall('getConnectInfo', { query: { groupRef: group.groupRef, consumerRef: consumer.consumerRef } })
  const details = info.data?.connections.find((one) => one.id === id)
  const isBad = status === 'bad_credentials'
  const [state, words] = outcomes[lastCheck?.outcome ?? 'notChecked']
  return (
    <Card title="State">
      {isBad && (
        <div className="problem" role="status">
          <h2>The provider refuses this credential</h2>
          <p>
            {details?.statusSince !== undefined && (
              <>
                Since <Time at={details.statusSince} />.{' '}
              </>
            )}
            Reads and writes of {group.groupName || group.groupRef} wait until the account is connected again.
          </p>
          {(details?.failure ?? lastCheck?.reason) !== undefined && (
            <blockquote className="quote">{details?.failure ?? lastCheck?.reason}</blockquote>
          )}
          <p>Send the customer a reconnect link, or test again if the account was repaired at the provider.</p>
        </div>
      )}
      <Facts
        facts={[
          [
            'Last check',
            lastCheck ? (
              <>
                <Status state={state} label={words} /> <Time at={lastCheck.time} />
              </>
            ) : (
              'Not checked yet'
            ),
          ],
          ['Reason', !isBad && lastCheck?.reason],
        ]}
      />
    </Card>
  )
}

function UsedBy({ connectionId }: { connectionId: string }) {
  const installations = useList('listInstallationsForProject', { query: { connectionId } })
  const nameOf = useIntegrationName()
  const query = { ...installations, data: installations.items }
  return (
    <Card title="Used by" flush>
      <Loaded query={query}>
        {(items) =>
          items.length === 0 ? (
            <Empty
              title="No installation uses it"
              text="An integration that the customer installs can use this account."
            />
          ) : (
            <Scrolls>
              <table className="plain-table">
                <thead>
                  <tr>
                    <th>Installation</th>
                    <th>Health</th>
                    <th>Installed</th>
                  </tr>
                </thead>
                <tbody>
                  {items.map(({ id, integrationId, healthStatus, createTime }) => (
                    <tr key={id}>
                      <td>
                        <ProjectLink path={paths.installation(integrationId, id)}>{nameOf(integrationId)}</ProjectLink>
                      </td>
                      <td>
                        <Status state={healthStatus} />
                      </td>
                      <td>
                        <Time at={createTime} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scrolls>
          )
        }
      </Loaded>
    </Card>
  )
}

function FactsCard({ connection }: { connection: Connection }) {
  const { id, group, consumer, provider, providerApp, providerWorkspaceRef, providerConsumerRef } = connection
  return (
    <Card title="Facts">
      <Facts
        facts={[
          ['Customer', <CustomerLink key="customer" {...group} />],
          ['Person', consumer.consumerName || consumer.consumerRef],
          [
            'Provider',
            <ProjectLink key="provider" path={paths.provider(provider)}>
              {provider}
            </ProjectLink>,
          ],
          ['Authenticates with', schemeWords(connection)],
          ['Scheme', connection.schemeName],
          ['Workspace', providerWorkspaceRef],
          ['Person there', providerConsumerRef],
          [
            'Provider app',
            providerApp && (
              <ProjectLink path={paths.providerApps(provider)} search={{ app: providerApp.id }}>
                {providerApp.externalRef ?? providerApp.clientId}
              </ProjectLink>
            ),
          ],
          ['Connected', <Time key="created" at={connection.createTime} />],
          ['Changed', connection.updateTime && <Time at={connection.updateTime} />],
          ['Id', <Id key="id" id={id} />],
        ]}
      />
    </Card>
  )
}

function DeleteButton({ connection }: { connection: Connection }) {
  const project = useProjectRef()
  const navigate = useNavigate()
  const may = useMay('developer')
  const remove = useChange('deleteConnection', {
    refreshes: ['listConnections', 'getOverview', 'listGroups'],
    done: 'The connection is deleted.',
    onDone: () => navigate({ to: `/${project}/connections` as never }),
  })
  if (!may) return null
  const name = connection.group.groupName || connection.group.groupRef
  return (
    <ConfirmButton
      label="Delete"
      title={`Delete the connection of ${name} to ${connection.provider}?`}
      text="Its credential is deleted. Installations that use it must be uninstalled first."
      action="Delete connection"
      typed={connection.group.groupRef}
      busy={remove.isPending}
      onConfirm={() => remove.mutateAsync({ connectionId: connection.id }).catch(() => undefined)}
    />
  )
}
