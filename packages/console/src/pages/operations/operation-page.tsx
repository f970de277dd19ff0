import { useParams } from '@tanstack/react-router'
import { CopyButton } from '../../parts/copy-button.tsx'
import { InstallationName } from '../../parts/names.tsx'
import { Card, Columns, Page } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useCall } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'
import { MessagesOfOperation } from './messages-of-operation.tsx'
import { OperationFacts } from './operation-facts.tsx'
import { OperationFailure } from './operation-failure.tsx'
import { OperationLogs } from './operation-logs.tsx'
import { OperationProgress } from './operation-progress.tsx'
import { ReadAgain } from './read-again.tsx'
import { RequestsOfOperation } from './requests-of-operation.tsx'
import { CallAgain, ToolCall } from './tool-call.tsx'
import { type Operation, titleOfOperation } from './use-operations.ts'
import './operations.css'

const runningMs = 2_000

export default function OperationPage() {
  const project = useProjectRef()
  const { operationId = '' } = useParams({ strict: false }) as { operationId?: string }
  const query = useCall('getOperation', { operationId })
  const runs = query.data?.status === 'in_progress'
  // While it runs, the page follows it.
  useCall('getOperation', { operationId }, { enabled: runs, everyMs: runningMs })
  const operation = query.data
  return (
    <Page
      title={operation ? titleOfOperation(operation) : 'Operation'}
      parents={[{ label: 'Operations', to: `/${project}/operations` }]}
      state={operation && <Status state={operation.status} />}
      about={operation && <About operation={operation} />}
      actions={
        operation && (
          <>
            <ReadAgain operation={operation} />
            <CallAgain operation={operation} />
          </>
        )
      }
    >
      <Loaded query={query} lines={8}>
        {(operation) => (
          <Columns
            main={
              <>
                {operation.status === 'failure' && <OperationFailure operation={operation} />}
                {operation.status === 'in_progress' && <OperationProgress operation={operation} />}
                {operation.actionType === 'tool' && (
                  <Card title="Call">
                    <ToolCall operation={operation} />
                  </Card>
                )}
                <Card title="Log">
                  <OperationLogs operation={operation} />
                </Card>
                {operation.actionType !== 'tool' && (
                  <>
                    <RequestsOfOperation operation={operation} />
                    <MessagesOfOperation operation={operation} />
                  </>
                )}
              </>
            }
            side={
              <Card title="Facts">
                <OperationFacts operation={operation} />
              </Card>
            }
          />
        )}
      </Loaded>
    </Page>
  )
}

function About({ operation }: { operation: Operation }) {
  return (
    <span className="row">
      <span>
        For <InstallationName installationId={operation.installationId} integrationId={operation.integrationId} />,{' '}
        <Time at={operation.createTime} />
      </span>
      <CopyButton text={window.location.href} label="Copy the link to this page" />
    </span>
  )
}
