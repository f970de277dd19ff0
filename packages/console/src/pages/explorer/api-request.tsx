import { useState } from 'react'
import { SelectField, TextField } from '../../parts/fields.tsx'
import { useFilters } from '../../parts/filters.tsx'
import { CodeEditor } from '../../parts/lazy.tsx'
import { Card } from '../../parts/page.tsx'
import { Prose } from '../../parts/prose.tsx'
import { Status } from '../../parts/status.tsx'
import { useProjectRef, useRole } from '../../session/project.tsx'
import { AnswerView } from './answer-view.tsx'
import { CodeCard } from './code-card.tsx'
import { remember } from './history.ts'
import type { Operation, Parameter } from './openapi.ts'
import type { SampleCall } from './samples.ts'
import { isSecretName } from './secrets.ts'
import { SendButton } from './send-button.tsx'
import { useSend } from './use-send.ts'

/** One endpoint: its parameters as fields, its body as JSON, the answer and the code. */
export function ApiRequest({ operation, body: firstBody }: { operation: Operation; body: string | undefined }) {
  const project = useProjectRef()
  const [values, setValue] = useParameters(project, operation)
  const [body, setBody] = useState(firstBody || (operation.body?.example ?? ''))
  const sending = useSend()
  const call = callOf(operation, values, body, project)
  const missing = operation.parameters.filter(({ name, required }) => required && !values[name]).map(({ name }) => name)
  const path = call.url.slice(window.location.origin.length)
  return (
    <>
      <Card title={operation.id}>
        <p>
          <span className={`method ${operation.method}`}>{operation.method}</span>{' '}
          <code className="wrap">{operation.path}</code>
        </p>
        <p>
          <Prose text={operation.summary} />
        </p>
        {operation.description !== undefined && (
          <p className="muted">
            <Prose text={operation.description} />
          </p>
        )}
        <Callers callers={operation.callers} />
      </Card>
      <div className="explorer-request">
        <div className="stack">
          <Card title="Request">
            {operation.parameters.length > 0 && (
              <div className="parameters">
                {operation.parameters.map((parameter) => (
                  <ParameterField
                    key={`${parameter.in} ${parameter.name}`}
                    parameter={parameter}
                    value={values[parameter.name] ?? ''}
                    onChange={(value) => setValue(parameter.name, value)}
                  />
                ))}
              </div>
            )}
            {operation.body && (
              <div className="field">
                <strong>Body {!operation.body.isRequired && <span className="muted">(optional)</span>}</strong>
                <CodeEditor
                  label="Body"
                  language="json"
                  value={firstBody || operation.body.example}
                  onChange={setBody}
                  findings={jsonFindings(operation.body.type, body)}
                />
              </div>
            )}
            <div className="row">
              <SendButton
                method={operation.method}
                path={path}
                what={`the project ${project}`}
                isSending={sending.isSending}
                disabled={missing.length > 0}
                onSend={() =>
                  sending.send({ method: call.method, path, headers: call.headers, body: call.body }, (answer) =>
                    remember(project, {
                      at: new Date().toISOString(),
                      kind: 'api',
                      method: call.method,
                      path,
                      status: answer.status,
                      ms: answer.ms,
                      body: call.body ?? '',
                      operationId: operation.id,
                      parameters: values,
                    }),
                  )
                }
              />
              {missing.length > 0 && <span className="muted small">Enter {missing.join(', ')} first.</span>}
            </div>
          </Card>
        </div>
        <div className="stack">
          <AnswerView sending={sending} />
          <CodeCard call={call} />
        </div>
      </div>
    </>
  )
}

/** Says before sending that the service would refuse. */
function Callers({ callers }: { callers: string[] | undefined }) {
  const role = useRole()
  // Services with two roles call developers members.
  const admitted =
    callers === undefined ||
    [role, 'builder', ...(role === 'developer' ? ['member'] : [])].some((one) => callers.includes(one))
  if (admitted) return null
  const isForKeys = callers?.every((caller) => caller === 'fullKey' || caller === 'frontendKey')
  return (
    <Status
      state="warning"
      label={isForKeys ? 'Only API keys may call this' : 'Your role does not include this'}
      reason={isForKeys ? 'Use the code with a key.' : 'The service will refuse the request.'}
    />
  )
}

function ParameterField({
  parameter: { name, required, description, schema },
  value,
  onChange,
}: {
  parameter: Parameter
  value: string
  onChange: (value: string) => void
}) {
  const labels = {
    label: name,
    help: description === undefined ? undefined : <Prose text={description} />,
    optional: !required,
  }
  const choices = schema.type === 'boolean' ? ['true', 'false'] : (schema.enum ?? []).map(String)
  if (choices.length > 0)
    return (
      <SelectField
        {...labels}
        value={value}
        choices={[{ value: '', label: '' }, ...choices.map((choice) => ({ value: choice, label: choice }))]}
        onChange={(event) => onChange(event.target.value)}
      />
    )
  return (
    <TextField
      {...labels}
      type={isSecretName(name) ? 'password' : 'text'}
      autoComplete={isSecretName(name) ? 'new-password' : 'off'}
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

/** Values of the parameters: in the address, except those that may be secret. */
function useParameters(project: string, { parameters }: Operation) {
  const [filters, set] = useFilters()
  const [hidden, setHidden] = useState<Record<string, string>>({})
  const values = Object.fromEntries(
    parameters.flatMap(({ name }) => {
      const otherwise = name === 'projectIdOrName' ? project : undefined
      const value = isSecretName(name) ? hidden[name] : (filters[`p_${name}`] ?? otherwise)
      return value === undefined || value === '' ? [] : [[name, value]]
    }),
  ) as Record<string, string>
  const setValue = (name: string, value: string) =>
    isSecretName(name) ? setHidden({ ...hidden, [name]: value }) : set({ [`p_${name}`]: value })
  return [values, setValue] as const
}

function callOf(operation: Operation, values: Record<string, string>, body: string, project: string): SampleCall {
  const { method, path: template, parameters, id } = operation
  const of = (where: Parameter['in']) =>
    parameters.filter((one) => one.in === where && values[one.name] !== undefined).map(({ name }) => name)
  const path = template.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = values[name]
    return value === undefined ? placeholder : encodeURIComponent(value)
  })
  const query = new URLSearchParams(of('query').map((name) => [name, values[name] ?? ''])).toString()
  const sent = operation.body && body.trim() !== '' ? body : undefined
  const headers = {
    ...Object.fromEntries(of('header').map((name) => [name, values[name] ?? ''])),
    ...(sent !== undefined && operation.body && { 'Content-Type': operation.body.type }),
  }
  const json = sent === undefined ? undefined : parsedJson(sent)
  const hasProject = parameters.some(({ name }) => name === 'projectIdOrName')
  const isTyped = sent === undefined || json !== undefined
  return {
    method,
    url: `${window.location.origin}${path}${query && `?${query}`}`,
    headers,
    body: sent,
    ...(isTyped && {
      operation: {
        id,
        project: hasProject ? (values['projectIdOrName'] ?? project) : undefined,
        input: {
          ...Object.fromEntries(
            of('path')
              .filter((name) => name !== 'projectIdOrName')
              .map((name) => [name, values[name]]),
          ),
          ...(query !== '' && {
            query: Object.fromEntries(of('query').map((name) => [name, typed(parameters, name, values)])),
          }),
          ...(json !== undefined && { body: json.value }),
        },
      },
    }),
  }
}

function typed(parameters: Parameter[], name: string, values: Record<string, string>): unknown {
  const type = parameters.find((one) => one.name === name)?.schema.type
  const value = values[name]
  if (type === 'boolean') return value === 'true'
  return type === 'integer' || type === 'number' ? Number(value) : value
}

function parsedJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** A body that is not JSON may be sent, to see what the service says; the editor marks it. */
function jsonFindings(type: string, body: string) {
  if (!/json/.test(type) || body.trim() === '') return []
  try {
    JSON.parse(body)
    return []
  } catch (error) {
    const line = Number(/line (\d+)/.exec(String(error))?.[1] ?? 1)
    return [{ line, message: error instanceof Error ? error.message : String(error), severity: 'error' as const }]
  }
}
