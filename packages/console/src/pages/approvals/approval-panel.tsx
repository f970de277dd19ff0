import { useState } from 'react'
import { Id } from '../../parts/copy-button.tsx'
import { FormProblem } from '../../parts/fields.tsx'
import { Facts } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { CustomerLink, ProjectLink } from '../../parts/project-links.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Time, useNow } from '../../parts/time.tsx'
import { useCall } from '../../session/data.ts'
import { type ApprovalDetails, statusNow, titleOfApproval, whatItSets } from './approval.ts'
import { ChangeTable } from './change-table.tsx'
import { Decision } from './decision.tsx'
import { EarlierCalls } from './earlier-calls.tsx'
import { Outcome } from './outcome.tsx'
import { ValueText } from './value-text.tsx'
import './approvals.css'

const askMs = 5_000

/** One call of an agent beside the list: what it would do, for whom, and the decision. */
export function ApprovalPanel({ approvalId }: { approvalId: string }) {
  // Somebody else may decide it.
  const query = useCall('getApproval', { approvalId }, { everyMs: askMs })
  return (
    <Loaded query={query} lines={8}>
      {(approval) => <ApprovalView approval={approval} />}
    </Loaded>
  )
}

function ApprovalView({ approval }: { approval: ApprovalDetails }) {
  const { toolName, createTime, expireTime, id } = approval
  const status = statusNow(approval, useNow())
  const isOpen = status === 'waiting'
  const [problem, setProblem] = useState<unknown>()
  return (
    <>
      <div className="row">
        <h3 className="grow">{titleOfApproval(approval)}</h3>
        <Status state={status} />
      </div>
      <Request approval={approval} />
      {!isOpen && <Outcome approval={approval} status={status} />}
      {!isOpen && <FormProblem error={problem} />}
      <ChangeTable approval={approval} isOpen={isOpen} />
      {isOpen && <FormProblem error={problem} />}
      {isOpen && <Decision approval={approval} onProblem={setProblem} />}
      <Facts
        facts={[
          ['Tool', <code key="t">{toolName}</code>],
          ['Requested', <Time key="r" at={createTime} format="absolute" />],
          [
            isOpen || status === 'asking' ? 'Expires' : 'Would expire',
            <Time key="e" at={expireTime} format="absolute" />,
          ],
          ['Id', <Id key="d" id={id} />],
        ]}
      />
      <EarlierCalls approval={approval} />
    </>
  )
}

const verbs = {
  create: 'create a record',
  update: 'change the record',
  delete: 'delete the record',
  call: 'call the tool',
}

/** Who asks for what, in whose account: what somebody must know before they decide. */
function Request({ approval }: { approval: ApprovalDetails }) {
  const { agent, action, objectName, groupRef, integrationName, consumerRef } = approval
  const { id } = whatItSets(approval.arguments)
  return (
    <p className="wrap">
      {agent === undefined ? (
        'An agent'
      ) : (
        <>
          The agent{' '}
          <strong>
            <ValueText value={agent} />
          </strong>
        </>
      )}{' '}
      wants to {verbs[action]} {id !== undefined && <Id id={id} />} of {objectName} in{' '}
      <ProjectLink path={paths.integration(integrationName)}>{integrationName}</ProjectLink> of{' '}
      <CustomerLink groupRef={groupRef} />
      {consumerRef !== undefined && (
        <>
          , for the person <ValueText value={consumerRef} />
        </>
      )}
      .
    </p>
  )
}
