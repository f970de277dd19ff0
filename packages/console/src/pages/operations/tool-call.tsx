import type { Output } from '@mortise/client'
import { useAuthorName } from '../../parts/actor.ts'
import { LinkButton } from '../../parts/button.tsx'
import { JsonTree } from '../../parts/json-tree.tsx'
import { useInstallation } from '../../parts/names.tsx'
import { count } from '../../parts/numbers.ts'
import { Facts } from '../../parts/page.tsx'
import { ProjectLink } from '../../parts/project-links.tsx'
import { Loaded } from '../../parts/states.tsx'
import { duration } from '../../parts/time.tsx'
import { useCall } from '../../session/data.ts'
import { useMay, useProjectRef } from '../../session/project.tsx'
import { OperationLink } from './operation-link.tsx'
import type { Operation } from './use-operations.ts'

type Details = NonNullable<Output<'listOperationLogs'>[number]['message']['details']>

/** What an agent called: the arguments without their values, and the request that the provider got. */
export function ToolCall({ operation }: { operation: Operation }) {
  const logs = useCall('listOperationLogs', { operationId: operation.id })
  return (
    <Loaded query={logs} lines={5}>
      {(lines) => {
        const details = lines.find(({ message }) => message.details?.['tool'] !== undefined)?.message.details
        return details ? <CallFacts details={details} /> : <p className="muted">The log of this call is not stored.</p>
      }}
    </Loaded>
  )
}

function CallFacts({ details }: { details: Details }) {
  const authorName = useAuthorName()
  const {
    tool,
    agent,
    calledBy,
    consumer,
    request,
    requests,
    status,
    providerMs,
    error,
    approval,
    decider,
    writeOperation,
  } = details
  const ms = details['ms']
  const further = requests === undefined ? 0 : Number(requests) - 1
  return (
    <div className="stack">
      <Facts
        facts={[
          ['Tool', <code key="t">{tool}</code>],
          ['Agent', agent && <bdi key="a">{agent}</bdi>],
          ['Called by', calledBy && callerWords(calledBy, authorName)],
          ['Person', consumer && <Digest key="p" digest={consumer} />],
          [
            'Request',
            request && (
              <span key="r" className="wrap">
                <code>{request}</code> {status !== undefined && `answered ${status}`}
                {further > 0 && <span className="muted"> and {count(further)} more before</span>}
              </span>
            ),
          ],
          ['Provider took', providerMs && duration(Number(providerMs))],
          ['Took in all', ms && duration(Number(ms))],
          ['Error', error && <code key="e">{error}</code>],
          [
            'Approval',
            approval && (
              <ProjectLink key="v" path="approvals" search={{ status: 'all', open: approval }}>
                Open the approval
              </ProjectLink>
            ),
          ],
          ['Decided by', decider && (decider === 'user' ? 'the user of the client' : 'a person of yours')],
          [
            'Write',
            writeOperation && (
              <OperationLink key="w" id={writeOperation}>
                Open the write
              </OperationLink>
            ),
          ],
        ]}
      />
      <Arguments text={details['arguments']} />
    </div>
  )
}

/** Names of arguments. Values are content of the customer’s records, so only null is logged: it removes a value. */
function Arguments({ text }: { text: string | undefined }) {
  if (text === undefined) return null
  const value = parsed(text)
  return (
    <>
      <h3>Arguments, without values</h3>
      {value === undefined ? <pre className="quoted">{text}</pre> : <JsonTree value={value} label="the arguments" />}
    </>
  )
}

/** Undefined for a log that was cut. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function Digest({ digest }: { digest: string }) {
  return (
    <code className="wrap" title="SHA-256 of your id of the person. Compare it to find calls for the same person.">
      {digest}
    </code>
  )
}

const kinds: Record<string, string> = { apiKey: 'API key', consumer: 'Consumer token of key' }

/** The log says `builder:{id}`, `apiKey:{id}` or `consumer:{id of the key}`. */
function callerWords(caller: string, authorName: (author: string) => string): string {
  const at = caller.indexOf(':')
  const kind = kinds[caller.slice(0, at)]
  return kind === undefined ? authorName(caller) : `${kind} ${caller.slice(at + 1)}`
}

/** Leads to a form for the same tool. It asks for the values, because none are stored. */
export function CallAgain({ operation, look }: { operation: Operation; look?: 'primary' }) {
  const may = useMay('developer')
  const project = useProjectRef()
  const { actionType, integrationId, installationId, id, metadata } = operation
  const groupRef = useInstallation(installationId, integrationId)?.groupRef
  const tool = metadata?.['tool']
  if (actionType !== 'tool' || typeof tool !== 'string' || groupRef === undefined) return null
  if (!may) return <span className="muted small">A developer can call the tool again.</span>
  return (
    <LinkButton
      look={look ?? 'plain'}
      to={`/${project}/explorer/tool` as never}
      search={{ groupRef, tool, operation: id } as never}
    >
      Call again…
    </LinkButton>
  )
}
