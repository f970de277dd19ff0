import type { Item } from '@mortise/client'
import { Button } from '../../parts/button.tsx'
import type { Listed } from '../../parts/data-table.tsx'
import { useIntegrationName } from '../../parts/integrations.ts'
import { Card } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { ConnectionLink, ProjectLink } from '../../parts/project-links.tsx'
import { Scrolls } from '../../parts/scrolls.tsx'
import { Problem, Skeleton } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { statusWords } from '../connections/types.ts'

type Installation = Item<'listInstallationsForProject'>
type Connection = Item<'listConnections'>

export function InstallationsOf({ list }: { list: Listed<Installation> }) {
  const nameOf = useIntegrationName()
  return (
    <Card title="Installations" flush>
      <Rows
        list={list}
        empty="Nothing is installed. Make a link for the customer to install an integration."
        headers={['Integration', 'Health', 'Connection', 'Last operation', 'Installed']}
      >
        {({ id, integrationId, healthStatus, healthReasons, connection, lastOperationStatus, createTime }) => (
          <tr key={id}>
            <td>
              <ProjectLink path={paths.installation(integrationId, id)}>{nameOf(integrationId)}</ProjectLink>
            </td>
            <td>
              <Status state={healthStatus} />
              {healthReasons?.map((reason) => (
                <p key={reason} className="muted small wrap">
                  {reason}
                </p>
              ))}
            </td>
            <td>
              <ConnectionLink id={connection.id}>{connection.provider}</ConnectionLink>
            </td>
            <td>
              {lastOperationStatus ? <Status state={lastOperationStatus} /> : <span className="muted">None yet</span>}
            </td>
            <td>
              <Time at={createTime} />
            </td>
          </tr>
        )}
      </Rows>
    </Card>
  )
}

export function ConnectionsOf({ list }: { list: Listed<Connection> }) {
  return (
    <Card title="Connections" flush>
      <Rows
        list={list}
        empty="No account is connected. Make a link for the customer to connect one."
        headers={['Provider', 'Status', 'Account', 'Person', 'Connected']}
      >
        {({ id, provider, status, lastCheck, providerWorkspaceRef, consumer, createTime }) => (
          <tr key={id}>
            <td>
              <ConnectionLink id={id}>{provider}</ConnectionLink>
            </td>
            <td>
              <Status state={status} label={statusWords[status]} />
              {status === 'bad_credentials' && lastCheck?.reason !== undefined && (
                <p className="muted small wrap">{lastCheck.reason}</p>
              )}
            </td>
            <td>{providerWorkspaceRef ?? <span className="muted">–</span>}</td>
            <td>{consumer.consumerName || consumer.consumerRef}</td>
            <td>
              <Time at={createTime} />
            </td>
          </tr>
        )}
      </Rows>
    </Card>
  )
}

function Rows<T>({
  list,
  headers,
  empty,
  children,
}: {
  list: Listed<T>
  headers: string[]
  empty: string
  children: (item: T) => React.ReactNode
}) {
  const { items, error, hasNextPage, isFetchingNextPage } = list
  if (items === undefined)
    return error == null ? <Skeleton /> : <Problem error={error} onRetry={() => list.refetch()} />
  if (items.length === 0) return <p className="muted card-note">{empty}</p>
  return (
    <Scrolls>
      <table className="plain-table">
        <thead>
          <tr>
            {headers.map((header) => (
              <th key={header}>{header}</th>
            ))}
          </tr>
        </thead>
        <tbody>{items.map(children)}</tbody>
      </table>
      {hasNextPage && (
        <div className="table-more">
          <Button busy={isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </Scrolls>
  )
}
