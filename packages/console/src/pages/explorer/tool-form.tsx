import type { Output } from '@mortise/client'
import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { ConfirmButton } from '../../parts/dialog.tsx'
import { FormProblem } from '../../parts/fields.tsx'
import { CodeEditor } from '../../parts/lazy.tsx'
import { Card } from '../../parts/page.tsx'
import { Tag } from '../../parts/status.tsx'
import { useChange } from '../../session/data.ts'
import {
  type ArgumentSchema,
  type ArgumentTexts,
  argumentFields,
  argumentsOf,
  loggedArguments,
  textsOfArguments,
} from './tool-arguments.ts'
import { ToolFields } from './tool-fields.tsx'
import { ToolResult } from './tool-result.tsx'

export type Tool = Output<'listTools'>[number]

/** Asks for the arguments of a tool, calls it and shows what an agent would get. */
export function ToolForm({
  tool,
  groupRef,
  consumerRef,
  logged,
}: {
  tool: Tool
  groupRef: string
  consumerRef: string
  /** Arguments in the log of an earlier call. */
  logged: string | undefined
}) {
  const fields = argumentFields(tool.inputSchema as ArgumentSchema)
  const known = loggedArguments(fields, logged)
  const [texts, setTexts] = useState<ArgumentTexts>(known.texts)
  const [json, setJson] = useState<string>()
  const call = useChange('callTool', { refreshes: ['searchOperations', 'listApprovals'], showsProblem: false })
  const typed = json === undefined ? { value: argumentsOf(fields, texts) } : parsedArguments(json)
  const isComplete = json !== undefined || fields.every(({ key, required }) => !required || (texts[key] ?? '') !== '')
  const body = {
    groupRef,
    agent: 'console',
    arguments: typed.value ?? {},
    ...(consumerRef !== '' && { consumerRef }),
  }
  const send = () => call.mutateAsync({ toolName: tool.name, body }).catch(() => undefined)
  function switchForm() {
    if (json === undefined) return setJson(JSON.stringify(typed.value, null, 2))
    setTexts(textsOfArguments(fields, typed.value ?? {}))
    setJson(undefined)
  }
  const disabled = typed.value === undefined || !isComplete
  return (
    <div className="explorer-request">
      <Card
        title="Arguments"
        actions={
          <Button look="quiet" disabled={typed.value === undefined} onClick={switchForm}>
            {json === undefined ? 'Edit as JSON' : 'Edit as a form'}
          </Button>
        }
      >
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault()
            if (tool.readOnly && !disabled && !call.isPending) void send()
          }}
        >
          {known.masked.length > 0 && (
            <p className="muted">
              Mortise logs no values of arguments. That call had a value for{' '}
              {known.masked.map(({ path }) => path.at(-1)).join(', ')}.
            </p>
          )}
          {json === undefined ? (
            <ToolFields
              fields={fields}
              texts={texts}
              wanted={new Set(known.masked.map(({ key }) => key))}
              onChange={(key, text) => setTexts({ ...texts, [key]: text })}
            />
          ) : (
            <CodeEditor
              label="Arguments as JSON"
              language="json"
              value={json}
              onChange={setJson}
              findings={typed.value === undefined ? [{ line: 1, message: typed.wrong, severity: 'error' }] : []}
            />
          )}
          <FormProblem error={call.error} />
          <div className="row">
            <CallButton tool={tool} groupRef={groupRef} busy={call.isPending} disabled={disabled} onCall={send} />
            <span className="muted small">It counts as a call of an agent with the name console.</span>
          </div>
        </form>
      </Card>
      {call.data ? (
        <ToolResult result={call.data} />
      ) : (
        <Card title="Result">
          <p className="muted">Call the tool: what an agent would get is shown here.</p>
        </Card>
      )}
    </div>
  )
}

/** Marks of a tool: what a call of it does. */
export function ToolMarks({ tool: { readOnly, needsApproval } }: { tool: Tool }) {
  return (
    <>
      {readOnly ? <Tag>Only reads</Tag> : <Tag meaning="warning">Changes the account</Tag>}
      {needsApproval && <Tag meaning="info">Needs approval</Tag>}
    </>
  )
}

function CallButton({
  tool,
  groupRef,
  busy,
  disabled,
  onCall,
}: {
  tool: Tool
  groupRef: string
  busy: boolean
  disabled: boolean
  onCall: () => Promise<unknown>
}) {
  const label = busy ? 'Calling…' : `Call ${tool.name}`
  if (tool.readOnly)
    return (
      <Button type="submit" look="primary" busy={busy} disabled={disabled}>
        {label}
      </Button>
    )
  return (
    <ConfirmButton
      label={label}
      look={tool.action === 'delete' ? 'danger' : 'plain'}
      title={`Call ${tool.name}`}
      text={
        tool.needsApproval
          ? `The call is stored, and waits until somebody approves it. Then it changes the account of ${groupRef}.`
          : `This may change the account of ${groupRef} at the provider. It takes effect immediately, unless the manifest says dryRun.`
      }
      action={tool.needsApproval ? 'Request approval' : 'Call the tool'}
      busy={busy}
      disabled={disabled}
      onConfirm={onCall}
    />
  )
}

type Parsed = { value: Record<string, unknown>; wrong?: undefined } | { value?: undefined; wrong: string }

function parsedArguments(text: string): Parsed {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { wrong: 'The arguments are an object.' }
    return { value: value as Record<string, unknown> }
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : 'This is not JSON.' }
  }
}
