import type { Output } from '@mortise/client'
import { Card, Facts } from '../../parts/page.tsx'
import { Command } from '../../parts/states.tsx'
import { useCall } from '../../session/data.ts'
import { sendCommand, streamCommand, verifyLines } from './send-command.ts'

/** How the message is sent: its headers, and commands that send it and verify it. */
export function Sending({ message }: { message: Output<'getMessage'> }) {
  const { destinationId, destinationName, id, payload } = message
  const { data } = useCall(
    'getDestination',
    { destination: destinationId ?? destinationName },
    { enabled: destinationId !== undefined },
  )
  if (!data) return null
  const { url = '', headers = {}, stream } = data.metadata
  if (data.type !== 'webhook')
    return (
      <Card title="Look it up in the stream">
        <Command text={streamCommand(url, stream ?? '')} />
      </Card>
    )
  return (
    <>
      <Card title="Headers">
        <Facts
          facts={[
            ['content-type', <code key="t">application/json</code>],
            ['webhook-id', <code key="i">{id}</code>],
            ['webhook-timestamp', <span key="s">when it is sent, in Unix seconds</span>],
            ['webhook-signature', <span key="g">new in each attempt, by the destination’s secret</span>],
            ...Object.entries(headers).map(([name, value]): [string, React.ReactNode] => [
              name,
              <code key={name}>{value}</code>,
            ]),
          ]}
        />
      </Card>
      <Card title="Send it from a terminal">
        <p className="muted">Put in the secret of the destination. The command signs the body, and sends it once.</p>
        <Command text={sendCommand({ messageId: id, payload, url, headers, destinationName })} />
      </Card>
      <Card title="Verify its signature">
        <p className="muted">In your endpoint, with the raw body, before you parse it.</p>
        <Command text={verifyLines} />
      </Card>
    </>
  )
}
