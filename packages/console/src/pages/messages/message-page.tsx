import { useParams } from '@tanstack/react-router'
import { CopyButton } from '../../parts/copy-button.tsx'
import { JsonTree } from '../../parts/json-tree.tsx'
import { DestinationName } from '../../parts/names.tsx'
import { Card, Columns, Page } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useCall } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'
import { Attempts } from './attempts.tsx'
import { MessageState, titleOfMessage } from './message-columns.tsx'
import { MessageFacts } from './message-facts.tsx'
import { MessageFailure } from './message-failure.tsx'
import { SendAgain } from './send-again.tsx'
import { Sending } from './sending.tsx'
import './messages.css'

const waitingMs = 3_000

export default function MessagePage() {
  const project = useProjectRef()
  const { messageId = '' } = useParams({ strict: false }) as { messageId?: string }
  const query = useCall('getMessage', { messageId })
  const message = query.data
  const waits = message?.state === 'pending'
  useCall('getMessage', { messageId }, { enabled: waits, everyMs: waitingMs })
  useCall('listMessageAttempts', { messageId }, { enabled: waits, everyMs: waitingMs })
  return (
    <Page
      title={message ? titleOfMessage(message) : 'Message'}
      parents={[{ label: 'Messages', to: `/${project}/messages` }]}
      state={message && <MessageState message={message} />}
      about={
        message && (
          <span className="row">
            <span>
              To <DestinationName name={message.destinationName} missing={message.destinationId === undefined} />,{' '}
              <Time at={message.createTime} />
            </span>
            <CopyButton text={window.location.href} label="Copy the link to this page" />
          </span>
        )
      }
      actions={message && <SendAgain messageId={messageId} state={message.state} />}
    >
      <Loaded query={query} lines={8}>
        {(message) => (
          <Columns
            main={
              <>
                <MessageFailure message={message} />
                <Card title="Attempts">
                  <Attempts messageId={messageId} />
                </Card>
                <Card title="Payload">
                  <JsonTree value={message.payload} label="payload" />
                </Card>
                <Sending message={message} />
              </>
            }
            side={
              <Card title="Facts">
                <MessageFacts message={message} />
              </Card>
            }
          />
        )}
      </Loaded>
    </Page>
  )
}
