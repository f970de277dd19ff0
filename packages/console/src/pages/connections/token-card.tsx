import { Button } from '../../parts/button.tsx'
import { Card, Facts } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { useChange } from '../../session/data.ts'
import { useMay } from '../../session/project.tsx'
import type { Connection } from './types.ts'

/** Scopes and times of the access token. The token itself stays in the service. */
export function TokenCard({ connection }: { connection: Connection }) {
  const mayRenew = useMay('operator')
  const renew = useChange('getConnection', {
    refreshes: ['getConnection', 'listTimeline', 'listConnections'],
    done: ({ status }) =>
      status === 'bad_credentials' ? 'The provider refused to renew the access token.' : 'The access token is renewed.',
  })
  const info = connection.tokenInfo
  if (!info) return null
  const { issuedAt, expiresAt, isRenewable, scopes, missingScopes } = info
  return (
    <Card title="Access token">
      <Facts
        facts={[
          ['Expires', expiresAt ? <Time key="expires" at={expiresAt} /> : 'The provider did not say'],
          ['Renewed', issuedAt && <Time at={issuedAt} />],
          ['Renewal', isRenewable ? 'Mortise renews it' : 'The customer must connect again when it expires'],
          ['Scopes granted', <Scopes key="granted" names={scopes} />],
          ['Not granted', missingScopes?.length ? <Scopes key="missing" names={missingScopes} /> : undefined],
        ]}
      />
      {mayRenew && isRenewable && (
        <div className="row">
          <Button
            busy={renew.isPending}
            onClick={() => renew.mutate({ connectionId: connection.id, query: { refresh: 'force' } })}
          >
            Renew now
          </Button>
        </div>
      )}
    </Card>
  )
}

function Scopes({ names }: { names: string[] | undefined }) {
  if (names === undefined || names.length === 0) return <span className="muted">The provider did not say</span>
  return (
    <ul className="scopes">
      {names.map((name) => (
        <li key={name}>
          <code>{name}</code>
        </li>
      ))}
    </ul>
  )
}
