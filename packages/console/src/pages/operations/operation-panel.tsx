import { LinkButton } from '../../parts/button.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { useCall } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'
import { OperationFacts } from './operation-facts.tsx'
import { OperationFailure } from './operation-failure.tsx'
import { OperationLogs } from './operation-logs.tsx'
import { ReadAgain } from './read-again.tsx'
import { CallAgain, ToolCall } from './tool-call.tsx'
import { titleOfOperation } from './use-operations.ts'

/** One operation beside the list. */
export function OperationPanel({ operationId }: { operationId: string }) {
  const project = useProjectRef()
  const query = useCall('getOperation', { operationId })
  return (
    <Loaded query={query} lines={6}>
      {(operation) => (
        <>
          <div className="row">
            <h3 className="grow">{titleOfOperation(operation)}</h3>
            <Status state={operation.status} />
          </div>
          <div className="row">
            <LinkButton to={`/${project}/operations/${operationId}` as never}>Open the page</LinkButton>
            <ReadAgain operation={operation} />
            <CallAgain operation={operation} />
          </div>
          {operation.status === 'failure' && <OperationFailure operation={operation} />}
          <OperationFacts operation={operation} />
          {operation.actionType === 'tool' && (
            <>
              <h3>Call</h3>
              <ToolCall operation={operation} />
            </>
          )}
          <h3>Log</h3>
          <OperationLogs operation={operation} />
        </>
      )}
    </Loaded>
  )
}
