import { Card } from '../../parts/page.tsx'
import { ProjectLink } from '../../parts/project-links.tsx'
import { Scrolls } from '../../parts/scrolls.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useCall } from '../../session/data.ts'
import { type Message, MessageState, titleOfMessage } from '../messages/message-columns.tsx'

const shown = 5

/** The last messages of a customer, over all installations and destinations. */
export function MessagesOf({ groupRef }: { groupRef: string }) {
  const messages = useCall('listMessages', { query: { groupRef, pageSize: shown } })
  return (
    <Card
      title="Last messages"
      flush
      actions={
        <ProjectLink path="messages" search={{ groupRef }}>
          All messages
        </ProjectLink>
      }
    >
      <Loaded query={messages}>
        {(all) =>
          all.length === 0 ? (
            <p className="muted card-note">No messages are kept. They appear when an installation reads records.</p>
          ) : (
            <Scrolls>
              <table className="plain-table">
                <thead>
                  <tr>
                    <th>Message</th>
                    <th>State</th>
                    <th>Destination</th>
                    <th className="right">Created</th>
                  </tr>
                </thead>
                <tbody>
                  {all.map((message) => (
                    <Row key={message.id} message={message} />
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

function Row({ message }: { message: Message }) {
  return (
    <tr>
      <td>
        <ProjectLink path={`messages/${message.id}`}>{titleOfMessage(message)}</ProjectLink>
      </td>
      <td>
        <MessageState message={message} />
      </td>
      <td>{message.destinationName}</td>
      <td className="right">
        <Time at={message.createTime} />
      </td>
    </tr>
  )
}
