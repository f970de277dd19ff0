import { LinkButton } from '../../parts/button.tsx'
import { JsonTree } from '../../parts/json-tree.tsx'
import { Loaded } from '../../parts/states.tsx'
import { useCall } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'
import { Attempts } from './attempts.tsx'
import { MessageState, titleOfMessage } from './message-columns.tsx'
import { MessageFacts } from './message-facts.tsx'
import { MessageFailure } from './message-failure.tsx'
import { SendAgain } from './send-again.tsx'

/** One message beside the list. */
export function MessagePanel({ messageId }: { messageId: string }) {
  const project = useProjectRef()
  const query = useCall('getMessage', { messageId })
  return (
    <Loaded query={query} lines={6}>
      {(message) => (
        <>
          <div className="row">
            <h3 className="grow">{titleOfMessage(message)}</h3>
            <MessageState message={message} />
          </div>
          <div className="row">
            <LinkButton to={`/${project}/messages/${messageId}` as never}>Open the page</LinkButton>
            <SendAgain messageId={messageId} state={message.state} />
          </div>
          <MessageFailure message={message} />
          <MessageFacts message={message} />
          <h3>Attempts</h3>
          <Attempts messageId={messageId} />
          <h3>Payload</h3>
          <JsonTree value={message.payload} label="payload" />
        </>
      )}
    </Loaded>
  )
}
