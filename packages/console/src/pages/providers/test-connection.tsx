import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { FormProblem } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useCall, useChange } from '../../session/data.ts'
import { useMay, useMe, useProjectRef } from '../../session/project.tsx'
import type { Provider } from './provider.ts'

const pollMs = 2_000

/** A page on which you connect an account of yours, as a customer would, in a group that only you are in. */
export function TestConnection({ provider, appId }: { provider: Provider; appId?: string }) {
  const me = useMe()
  const mayConnect = useMay('operator')
  const [session, setSession] = useState<{ id: string; url: string; expireTime: string }>()
  const creation = useChange('createConnectSession', {
    refreshes: [],
    showsProblem: false,
    onDone: ({ id, url, expireTime }) => setSession({ id, url, expireTime }),
  })
  const { id: builderId, primaryEmail } = me.builder
  const testName = `Test of ${primaryEmail ?? 'a developer'}`
  if (!mayConnect) return <p className="muted">Operators can connect test accounts.</p>
  if (session) return <OpenSession {...session} onAgain={() => setSession(undefined)} />
  return (
    <>
      <p className="muted">
        Opens the page that customers see. The connection belongs to the customer “{testName}”, and you can delete it
        afterwards.
      </p>
      <FormProblem error={creation.error} />
      <div className="row">
        <Button
          busy={creation.isPending}
          onClick={() =>
            creation.mutate({
              body: {
                provider: provider.name,
                groupRef: `test-${builderId}`,
                groupName: testName,
                consumerRef: builderId,
                ...(primaryEmail !== undefined && { consumerName: primaryEmail }),
                ...(appId !== undefined && { providerAppId: appId }),
              },
            })
          }
        >
          Create a test link
        </Button>
      </div>
    </>
  )
}

function OpenSession({
  id,
  url,
  expireTime,
  onAgain,
}: {
  id: string
  url: string
  expireTime: string
  onAgain: () => void
}) {
  const project = useProjectRef()
  const { data } = useCall('getConnectSession', { connectSessionId: id }, { everyMs: pollMs })
  if (data?.connectionId)
    return (
      <>
        <Status state="connected" />
        <p>
          <Link to={`/${project}/connections/${data.connectionId}` as never}>Open the connection</Link>
        </p>
      </>
    )
  return (
    <>
      <a className="button primary" href={url} target="_blank" rel="noopener noreferrer">
        Connect an account <Icon name="external" />
      </a>
      <p className="muted small">
        The link is for one account and ends <Time at={expireTime} />. Anyone who has it can connect one.
      </p>
      {data?.failure !== undefined && <Status state="failed" label="The last attempt failed" reason={data.failure} />}
      <div>
        <Button look="quiet" onClick={onAgain}>
          Discard
        </Button>
      </div>
    </>
  )
}
