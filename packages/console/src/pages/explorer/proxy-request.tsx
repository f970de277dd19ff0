import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { CustomerField } from '../../parts/customer-field.tsx'
import { SelectField, TextArea, TextField } from '../../parts/fields.tsx'
import { useFilters } from '../../parts/filters.tsx'
import { Card } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { useSettled } from '../../parts/use-settled.ts'
import { useCall } from '../../session/data.ts'
import { useMay, useProject, useProjectRef } from '../../session/project.tsx'
import { useIntegrations } from '../integrations/all-integrations.ts'
import { doesOf, type Integration, integrationPath } from '../integrations/manifest.ts'
import { AnswerView } from './answer-view.tsx'
import { CodeCard } from './code-card.tsx'
import { remember } from './history.ts'
import { HistoryCard } from './history-card.tsx'
import type { SampleCall } from './samples.ts'
import { SendButton } from './send-button.tsx'
import { useSend } from './use-send.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']

/** Calls the API of a provider with the account of a customer. */
export function ProxyRequest() {
  const project = useProjectRef()
  const mayCall = useMay('developer')
  const integrations = useIntegrations(project)
  const [filters, set] = useFilters()
  const [chosenBody, setChosenBody] = useState<{ at: string; body: string }>()
  if (!mayCall)
    return (
      <Empty
        title="Developers can call providers"
        text="A request through the proxy reads and changes a customer’s account. Ask a developer, or an owner for the role."
      />
    )
  if (integrations.data?.length === 0)
    return (
      <Empty
        title="No integrations yet"
        text="The proxy calls accounts that are installed."
        command={`mortise deploy --project ${project}`}
      />
    )
  return (
    <>
      <ProxyForm key={chosenBody?.at} integrations={integrations.data ?? []} firstBody={chosenBody?.body ?? ''} />
      <HistoryCard
        kind="proxy"
        onChoose={({ at, method, path, body, integration, groupRef }) => {
          setChosenBody({ at, body })
          set({ ...filters, method, path: path.replace(/^\/proxy/, ''), integration, groupRef })
        }}
      />
    </>
  )
}

function ProxyForm({ integrations, firstBody }: { integrations: Integration[]; firstBody: string }) {
  const project = useProject()
  const projectRef = useProjectRef()
  const [filters, set] = useFilters()
  const [headerText, setHeaderText] = useState('')
  const [body, setBody] = useState(firstBody)
  const sending = useSend()
  const withProxy = integrations.find(({ latestRevision }) => doesOf(latestRevision.content).includes('proxy'))
  const integration = integrations.find(({ name }) => name === filters['integration']) ?? withProxy ?? integrations[0]
  const method = methods.find((one) => one === filters['method']) ?? 'GET'
  const path = filters['path'] ?? '/'
  const groupRef = filters['groupRef'] ?? ''
  const target = { integration: integration?.name ?? '', groupRef }
  const call = proxyCall({ method, path, headers: headersIn(headerText), body }, project?.id ?? '', target)
  const sentPath = call.url.slice(window.location.origin.length)
  return (
    <div className="explorer-request">
      <div className="stack">
        <Card title="Request to the provider">
          <div className="parameters">
            <SelectField
              label="Integration"
              value={integration?.name ?? ''}
              choices={integrations.map(({ name, provider }) => ({ value: name, label: `${name} (${provider})` }))}
              onChange={(event) => set({ integration: event.target.value })}
            />
            <CustomerField value={groupRef} onChange={(value) => set({ groupRef: value })} />
          </div>
          {integration && <Target integration={integration} groupRef={groupRef} />}
          <div className="proxy-line">
            <SelectField
              label="Method"
              value={method}
              choices={methods.map((value) => ({ value, label: value }))}
              onChange={(event) => set({ method: event.target.value })}
            />
            <TextField
              label="Path and query"
              spellCheck={false}
              value={path}
              error={path.startsWith('/') ? undefined : 'Begin with a slash.'}
              onChange={(event) => set({ path: event.target.value })}
            />
          </div>
          <TextArea
            label="Headers"
            optional
            help="One a line, such as Accept: application/json. Mortise adds the credential of the account."
            rows={2}
            spellCheck={false}
            value={headerText}
            onChange={(event) => setHeaderText(event.target.value)}
          />
          {method !== 'GET' && method !== 'HEAD' && (
            <TextArea
              label="Body"
              optional
              className="mono"
              rows={6}
              spellCheck={false}
              value={body}
              onChange={(event) => setBody(event.target.value)}
            />
          )}
          <div className="row">
            <SendButton
              method={method}
              path={path}
              what={`the account of ${groupRef}`}
              isSending={sending.isSending}
              disabled={groupRef === '' || !path.startsWith('/') || !integration}
              onSend={() =>
                sending.send({ method, path: sentPath, headers: call.headers, body: call.body }, (answer) =>
                  remember(projectRef, {
                    at: new Date().toISOString(),
                    kind: 'proxy',
                    method,
                    path: sentPath,
                    status: answer.status,
                    ms: answer.ms,
                    body: call.body ?? '',
                    ...target,
                  }),
                )
              }
            />
            <span className="muted small">
              {groupRef === '' ? 'Choose a customer first.' : 'It is listed among the operations, with your name.'}
            </span>
          </div>
        </Card>
      </div>
      <div className="stack">
        <AnswerView sending={sending} />
        <CodeCard call={call} />
      </div>
    </div>
  )
}

/** Whose account the request uses, or why it cannot. */
function Target({ integration, groupRef }: { integration: Integration; groupRef: string }) {
  const project = useProjectRef()
  const settled = useSettled(groupRef)
  const { data } = useCall(
    'listInstallations',
    { integrationId: integration.id, query: { groupRef: settled, pageSize: 1 } },
    { enabled: settled !== '' },
  )
  if (!doesOf(integration.latestRevision.content).includes('proxy'))
    return (
      <p>
        <Status state="warning" label="The manifest does not enable the proxy" />{' '}
        <Link to={`${integrationPath(project, integration)}/edit` as never}>Add proxy.enabled: true</Link>
      </p>
    )
  if (settled === '' || data === undefined) return null
  const [installation] = data
  if (!installation) return <Status state="warning" label={`${settled} has not installed ${integration.name}`} />
  return (
    <p>
      <Status state={installation.healthStatus} />{' '}
      <Link to={`/${project}/installations/${integration.id}/${installation.id}` as never}>Installation</Link>,{' '}
      <Link to={`/${project}/connections/${installation.connection.id}` as never}>connection</Link>
    </p>
  )
}

function headersIn(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*:\s*(.*?)\s*$/.exec(line) ?? []
      return name === undefined ? [] : [[name, value ?? '']]
    }),
  )
}

function proxyCall(
  { method, path, headers, body }: { method: string; path: string; headers: Record<string, string>; body: string },
  projectId: string,
  { integration, groupRef }: { integration: string; groupRef: string },
): SampleCall {
  const hasBody = method !== 'GET' && method !== 'HEAD' && body !== ''
  const hasType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')
  return {
    method,
    url: `${window.location.origin}/proxy${path}`,
    headers: {
      'X-Mortise-Proxy-Version': '1',
      'X-Mortise-Project-Id': projectId,
      'X-Mortise-Integration-Name': integration,
      'X-Mortise-Group-Ref': groupRef,
      ...(hasBody && !hasType && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: hasBody ? body : undefined,
  }
}
