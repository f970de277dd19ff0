import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { JsonTree } from '../../parts/json-tree.tsx'
import { bytes } from '../../parts/numbers.ts'
import { Card, Facts } from '../../parts/page.tsx'
import { Skeleton } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { duration } from '../../parts/time.tsx'
import type { RawAnswer } from '../../session/raw.ts'
import type { Sending } from './use-send.ts'

/** What came back: status, time, headers, body. */
export function AnswerView({ sending }: { sending: Sending }) {
  const { answer, error, isSending, stop } = sending
  if (isSending)
    return (
      <Card title="Answer" actions={<Button onClick={stop}>Stop</Button>}>
        <Skeleton lines={5} />
      </Card>
    )
  if (error !== undefined)
    return (
      <Card title="No answer">
        <p className="wrap" role="alert">
          {error instanceof Error ? error.message : String(error)}
        </p>
      </Card>
    )
  if (answer === undefined)
    return (
      <Card title="Answer">
        <p className="muted">Send the request: status, time, headers and body are shown here.</p>
      </Card>
    )
  return (
    <Card title="Answer" actions={<Outcome answer={answer} />}>
      <Body answer={answer} />
      <details>
        <summary>{answer.headers.length} headers</summary>
        <Facts facts={answer.headers.map(([name, value]) => [name, <code key={name}>{value}</code>])} />
      </details>
    </Card>
  )
}

function Outcome({ answer: { status, statusText, ms, text } }: { answer: RawAnswer }) {
  return (
    <span role="status" className="row">
      <Status
        state={status >= 400 ? 'error' : status >= 200 && status < 300 ? 'success' : 'warning'}
        label={status === 0 ? 'Redirect' : `${status} ${statusText}`.trim()}
      />
      <span className="muted small number">
        {duration(ms)}, {bytes(new Blob([text]).size)}
      </span>
    </span>
  )
}

function Body({ answer: { status, headers, text, isCut } }: { answer: RawAnswer }) {
  if (status === 0) return <p className="muted">The answer leads to another address, which is not followed here.</p>
  if (text === '') return <p className="muted">The answer has no body.</p>
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? ''
  const json = isCut ? undefined : parsed(text, type)
  return (
    <>
      {isCut && <p className="muted">Only the beginning of the body is shown.</p>}
      {json ? (
        <JsonTree value={json.value} label="the body" />
      ) : (
        <div className="answer-text">
          <CopyButton text={text} label="Copy the body" />
          <pre>{text}</pre>
        </div>
      )}
    </>
  )
}

function parsed(text: string, type: string): { value: unknown } | undefined {
  if (!/json/.test(type)) return undefined
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
