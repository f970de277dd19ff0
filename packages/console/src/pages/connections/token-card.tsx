import { useMutation } from '@tanstack/react-query'
import { Button } from '../../parts/button.tsx'
import { FormProblem } from '../../parts/fields.tsx'
import { Card, Facts } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { useChange } from '../../session/data.ts'
import { useMay, useProjectRef } from '../../session/project.tsx'
import { client } from '../../session/session.ts'
import { hasToken } from './scheme-words.ts'
import type { Connection } from './types.ts'

interface TokenFacts {
  scopes: string[] | undefined
  issuedAt: string | undefined
  expiresAt: string | undefined
}

/** Scopes and times of the access token, on request: the service answers them with the token, which is not kept. */
export function TokenCard({ connection }: { connection: Connection }) {
  const projectIdOrName = useProjectRef()
  const maySee = useMay('developer')
  const mayRenew = useMay('operator')
  const facts = useMutation({
    mutationFn: async (): Promise<TokenFacts> => {
      const answer = await client.getConnection({
        projectIdOrName,
        connectionId: connection.id,
        query: { includeCreds: true },
      })
      const { scopes, accessToken } = answer.oauth2AuthorizationCode ?? {}
      return { scopes, issuedAt: accessToken?.issuedAt, expiresAt: accessToken?.expiresAt }
    },
  })
  const renew = useChange('getConnection', {
    refreshes: ['getConnection', 'listTimeline', 'listConnections'],
    done: ({ status }) =>
      status === 'bad_credentials' ? 'The provider refused to renew the access token.' : 'The access token is renewed.',
    onDone: () => facts.data && facts.mutate(),
  })
  if (!hasToken(connection)) return null
  const wanted = connection.providerApp?.scopes
  const { data } = facts
  return (
    <Card title="Access token">
      <FormProblem error={facts.error} />
      {data && (
        <Facts
          facts={[
            ['Expires', data.expiresAt ? <Time key="expires" at={data.expiresAt} /> : 'The provider did not say'],
            ['Renewed', data.issuedAt && <Time at={data.issuedAt} />],
            ['Scopes granted', <Scopes key="granted" names={data.scopes} />],
          ]}
        />
      )}
      {wanted !== undefined && wanted.length > 0 && (
        <Facts facts={[['Scopes of the app', <Scopes key="wanted" names={wanted} granted={data?.scopes} />]]} />
      )}
      <div className="row">
        {maySee && !data && (
          <Button busy={facts.isPending} onClick={() => facts.mutate()}>
            Show scopes and expiry
          </Button>
        )}
        {mayRenew && (
          <Button
            busy={renew.isPending}
            onClick={() => renew.mutate({ connectionId: connection.id, query: { refresh: 'force' } })}
          >
            Renew now
          </Button>
        )}
      </div>
    </Card>
  )
}

/** Names of scopes. Those that were not granted are marked once it is known. */
function Scopes({ names, granted }: { names: string[] | undefined; granted?: string[] | undefined }) {
  if (names === undefined || names.length === 0) return <span className="muted">The provider did not say</span>
  return (
    <ul className="scopes">
      {names.map((name) => (
        <li key={name}>
          <code>{name}</code>
          {granted !== undefined && !granted.includes(name) && <span className="tag warning">Not granted</span>}
        </li>
      ))}
    </ul>
  )
}
