import { useAuthorName } from '../../parts/actor.ts'
import { LinkButton } from '../../parts/button.tsx'
import { JsonTree } from '../../parts/json-tree.tsx'
import { Time } from '../../parts/time.tsx'
import { useProjectRef } from '../../session/project.tsx'
import { type ApprovalDetails, type ApprovalStatus, deciderWords } from './approval.ts'
import { ValueText } from './value-text.tsx'

/** What became of a request that nobody can decide any more. */
export function Outcome({ approval, status }: { approval: ApprovalDetails; status: ApprovalStatus }) {
  const project = useProjectRef()
  const { decidedBy, decideTime, comment, result, operationId, consumerRef } = approval
  const user = deciderWords(approval)
  const authorName = useAuthorName()
  const verb = status === 'refused' ? 'Refused' : user === undefined ? 'Approved' : 'Confirmed'
  return (
    <section className="stack" aria-label="Outcome" role="status">
      <Sentence status={status} result={result} />
      {decidedBy !== undefined && (
        <p>
          {verb} by{' '}
          <strong>
            <ValueText value={user ?? authorName(decidedBy)} />
          </strong>
          {user !== undefined && consumerRef !== undefined && (
            <>
              {' '}
              (<ValueText value={consumerRef} />)
            </>
          )}
          , <Time at={decideTime} />
          {comment !== undefined && (
            <>
              : “<ValueText value={comment} />”
            </>
          )}
        </p>
      )}
      {operationId !== undefined && (
        <div className="row">
          <LinkButton to={`/${project}/operations/${operationId}` as never}>Open the operation</LinkButton>
        </div>
      )}
      {result && (
        <>
          <h3>What the agent gets</h3>
          <JsonTree value={result} label="the result" />
        </>
      )}
    </section>
  )
}

function Sentence({ status, result }: { status: ApprovalStatus; result: ApprovalDetails['result'] }) {
  switch (status) {
    case 'asking':
      return <p>The client asks its user. Only this user decides. Nothing has changed in the account.</p>
    case 'expired':
      return <p>Nobody decided in time. Nothing has changed in the account. The agent can ask again.</p>
    case 'refused':
      return <p>Nothing has changed in the account.</p>
    case 'running':
      return <p>The call runs now. You can leave this page.</p>
    case 'unknown':
      return (
        <p>
          The service stopped during the call, so it may be done. It does not run again. Look at the record at the
          provider first.
        </p>
      )
    case 'failed':
      return <Failure error={(result as { error?: ErrorFacts } | undefined)?.error} />
    default:
      return <p>The call is done.</p>
  }
}

interface ErrorFacts {
  message?: string
  details?: string[]
  providerMessage?: string
}

function Failure({ error }: { error: ErrorFacts | undefined }) {
  const { message, details = [], providerMessage } = error ?? {}
  return (
    <div className="failure">
      <h2>The call failed</h2>
      <blockquote className="wrap">
        {message ?? 'The reason is not known.'} {details.join(' ')}
        {providerMessage !== undefined && providerMessage !== '' && <pre className="quoted">{providerMessage}</pre>}
      </blockquote>
    </div>
  )
}
