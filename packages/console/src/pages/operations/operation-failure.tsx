import { LinkButton } from '../../parts/button.tsx'
import { InstallationName } from '../../parts/names.tsx'
import { Time } from '../../parts/time.tsx'
import { useCall } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'
import { ReadAgain } from './read-again.tsx'
import { type Operation, resultOf, titleOfOperation } from './use-operations.ts'

/** What failed, since when and for whom, why, and what to do. */
export function OperationFailure({ operation }: { operation: Operation }) {
  const { integrationId, installationId, resource } = operation
  const logs = useCall('listOperationLogs', { operationId: operation.id })
  const status = useCall('getInstallationStatus', { integrationId, installationId })
  const installation = useCall('getInstallation', { integrationId, installationId })
  const project = useProjectRef()
  const object = status.data?.objects.find(({ objectName }) => objectName === resource)
  const quoted = logs.data?.findLast(({ message }) => message.error !== undefined)?.message.error
  const why = quoted ?? resultOf(operation)
  const reasons = status.data?.healthReasons ?? []
  const isCredential = reasons.some((reason) => /credential|connect/i.test(reason))
  return (
    <section className="failure" aria-label="Why it failed">
      <h2>{titleOfOperation(operation)} failed</h2>
      <dl>
        <div>
          <dt>Since when, for whom</dt>
          <dd>
            <Time at={operation.updateTime ?? operation.createTime} format="absolute" />, for{' '}
            <InstallationName {...{ installationId, integrationId }} />
            {object?.failure && (
              <>
                . The object fails since <Time at={object.failure.since} format="absolute" />
              </>
            )}
            {object !== undefined && object.failure === undefined && object.state !== 'paused' && (
              <>. Later reads of this object worked.</>
            )}
          </dd>
        </div>
        <div>
          <dt>Why</dt>
          <dd>
            <blockquote className="wrap">{why ?? 'The operation says no reason.'}</blockquote>
          </dd>
        </div>
        {reasons.length > 0 && (
          <div>
            <dt>The installation</dt>
            <dd className="wrap">{reasons.join(' ')}</dd>
          </div>
        )}
        <div>
          <dt>What to do</dt>
          <dd className="row">
            {isCredential
              ? 'Ask the customer to connect the account again; reads then continue automatically.'
              : operation.actionType === 'read'
                ? 'Correct the cause, then read again. Nothing is lost: the next read starts where the last one ended.'
                : operation.actionType === 'tool'
                  ? 'The agent got this error, and can act on it. To see it yourself, call the tool again.'
                  : 'Correct the cause, then send the write again.'}
            {isCredential && installation.data && (
              <LinkButton look="primary" to={`/${project}/connections/${installation.data.connection.id}` as never}>
                Open the connection
              </LinkButton>
            )}
            <ReadAgain operation={operation} {...(!isCredential && { look: 'primary' as const })} />
          </dd>
        </div>
      </dl>
    </section>
  )
}
