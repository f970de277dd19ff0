import type { Output } from '@mortise/client'
import { useState } from 'react'
import { useAuthorName } from '../../parts/actor.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import type { Finding } from '../../parts/code-editor.tsx'
import { FormProblem } from '../../parts/fields.tsx'
import { JsonTree } from '../../parts/json-tree.tsx'
import { CodeEditor } from '../../parts/lazy.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useCall, useChange } from '../../session/data.ts'
import { useMay, useProjectRef } from '../../session/project.tsx'
import { titleOfMessage } from '../messages/message-columns.tsx'
import { reasons } from './dead-letter-columns.tsx'

type Whole = Output<'getDeadLetter'>

const refreshes: ('listDeadLetters' | 'getDeadLetter')[] = ['listDeadLetters', 'getDeadLetter']

/** One dead letter beside the list: why it failed, and its records in an editor. */
export function DeadLetterPanel({
  deadLetterId,
  onSent,
}: {
  deadLetterId: string
  onSent: (replayId: string) => void
}) {
  const query = useCall('getDeadLetter', { deadLetterId })
  return (
    <Loaded query={query} lines={6}>
      {(found) => <DeadLetterView key={found.correctTime ?? ''} deadLetter={found} onSent={onSent} />}
    </Loaded>
  )
}

function DeadLetterView({ deadLetter, onSent }: { deadLetter: Whole; onSent: (replayId: string) => void }) {
  const { id, reason, error, response, splitFrom, records, originalRecords, correctedBy, correctTime } = deadLetter
  const project = useProjectRef()
  const authorName = useAuthorName()
  const may = useMay('operator')
  const stored = JSON.stringify(records ?? [], null, 2)
  const [text, setText] = useState(stored)
  const correct = useChange('updateDeadLetter', { refreshes, showsProblem: false, done: 'The records are corrected.' })
  const redrive = useChange('redriveDeadLetters', { refreshes, onDone: ({ id }) => onSent(id) })
  const parsed = parsedRecords(text)
  const who = may ? undefined : 'An operator can do this.'
  const save = () => correct.mutateAsync({ deadLetterId: id, body: { records: parsed.records ?? [] } })
  return (
    <>
      <h3>{deadLetter.objectName ?? titleOfMessage(deadLetter)}</h3>
      <section className="failure" aria-label="Why it was not accepted">
        <h2>{reasons[reason]}</h2>
        <blockquote className="wrap">
          {error ?? 'The reason is not known.'}
          {response !== undefined && response !== '' && <pre className="quoted">{response}</pre>}
        </blockquote>
      </section>
      <div className="row">
        <LinkButton to={`/${project}/messages/${id}` as never}>Open the message</LinkButton>
        {splitFrom !== undefined && (
          <LinkButton to={`/${project}/messages/${splitFrom}` as never}>The message that it was in</LinkButton>
        )}
      </div>
      {correctedBy !== undefined && (
        <p className="muted">
          Corrected by {authorName(correctedBy)}, <Time at={correctTime} />
        </p>
      )}
      {records ? (
        <>
          <h3>Records</h3>
          <CodeEditor
            label="Records as JSON"
            language="json"
            value={text}
            onChange={setText}
            readOnly={!may}
            findings={parsed.findings}
          />
          <FormProblem error={correct.error} />
        </>
      ) : (
        <>
          <h3>Payload</h3>
          <JsonTree value={deadLetter.payload} label="payload" />
        </>
      )}
      <div className="row">
        {records && (
          <Button
            busy={correct.isPending}
            disabled={!may || text === stored || parsed.records === undefined}
            title={who}
            onClick={() => void save().catch(() => undefined)}
          >
            Save correction
          </Button>
        )}
        <Button
          look="primary"
          busy={redrive.isPending}
          disabled={!may || (text !== stored && records !== undefined)}
          title={who ?? (text === stored ? undefined : 'Save the correction first.')}
          onClick={() => redrive.mutate({ body: { deadLetterIds: [id] } })}
        >
          Redrive
        </Button>
      </div>
      {originalRecords && (
        <>
          <h3>Before the first correction</h3>
          <JsonTree value={originalRecords} label="original records" />
        </>
      )}
    </>
  )
}

function parsedRecords(text: string): { records?: Record<string, unknown>[]; findings: Finding[] } {
  const wrong = (message: string) => ({ findings: [{ line: 1, message, severity: 'error' as const }] })
  try {
    const value: unknown = JSON.parse(text)
    if (!Array.isArray(value)) return wrong('The records are a list.')
    return { records: value as Record<string, unknown>[], findings: [] }
  } catch (error) {
    return wrong(error instanceof Error ? error.message : 'This is not JSON.')
  }
}
