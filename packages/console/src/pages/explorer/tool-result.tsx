import type { Output } from '@mortise/client'
import { JsonTree } from '../../parts/json-tree.tsx'
import { Card } from '../../parts/page.tsx'
import { ProjectLink } from '../../parts/project-links.tsx'
import { Status } from '../../parts/status.tsx'

type Result = Output<'callTool'>

/** The parts of a result that a person needs first. */
interface Content {
  status?: string
  approvalId?: string
  dryRun?: boolean
  message?: string
  error?: { code?: string; message?: string; details?: string[]; providerMessage?: string; retryAfterSeconds?: number }
}

/** What the agent would get, and where the call is logged. */
export function ToolResult({ result }: { result: Result }) {
  const { error, approvalId, message } = result.content as Content
  return (
    <Card title="Result" actions={<Ending result={result} />}>
      <div className="stack">
        {error && (
          <div className="failure">
            <h2>{error.message}</h2>
            {(error.details ?? []).length > 0 && (
              <ul>
                {error.details?.map((detail) => (
                  <li key={detail} className="wrap">
                    {detail}
                  </li>
                ))}
              </ul>
            )}
            {error.providerMessage !== undefined && error.providerMessage !== '' && (
              <blockquote className="wrap">{error.providerMessage}</blockquote>
            )}
          </div>
        )}
        {message !== undefined && <p className="wrap">{message}</p>}
        <div className="row">
          {approvalId !== undefined && (
            <ProjectLink className="button plain" path="approvals" search={{ status: 'all', open: approvalId }}>
              Open the approval
            </ProjectLink>
          )}
          {result.operationId !== undefined && (
            <ProjectLink className="button plain" path={`operations/${result.operationId}`}>
              Open the operation
            </ProjectLink>
          )}
        </div>
        <JsonTree value={result.content} label="the result" openLevels={4} />
      </div>
    </Card>
  )
}

function Ending({ result: { isError, content } }: { result: Result }) {
  const { status, dryRun } = content as Content
  const [state, label] = isError
    ? ['error', 'Error']
    : status === 'waiting_for_approval'
      ? ['waiting', 'Waits for approval']
      : dryRun === true
        ? ['success', 'Valid; nothing was sent']
        : ['success', 'Done']
  return (
    <span role="status">
      <Status state={state} label={label} />
    </span>
  )
}
