import { Link } from '@tanstack/react-router'
import { Id } from '../../parts/copy-button.tsx'
import { InstallationName, IntegrationName } from '../../parts/names.tsx'
import { count } from '../../parts/numbers.ts'
import { Facts } from '../../parts/page.tsx'
import { duration, Time } from '../../parts/time.tsx'
import { useProjectRef } from '../../session/project.tsx'
import { durationOf, type Operation, recordsOf, resultOf } from './use-operations.ts'

const causes = {
  backfill: 'The installation, or a request to read everything again',
  scheduled: 'The schedule of the object',
  triggered: 'A request through the API or the console',
}

export function OperationFacts({ operation }: { operation: Operation }) {
  const project = useProjectRef()
  const { integrationId, installationId, configId } = operation
  const records = recordsOf(operation)
  const total = operation.metadata?.progress?.recordsEstimatedTotal
  const ms = durationOf(operation)
  return (
    <Facts
      facts={[
        ['Result', resultOf(operation)],
        ['Started by', operation.readType === undefined ? undefined : causes[operation.readType]],
        ['Customer', <InstallationName key="c" {...{ installationId, integrationId }} />],
        ['Integration', <IntegrationName key="i" integrationId={integrationId} />],
        ['Object', operation.resource],
        [
          'Records',
          records === undefined
            ? undefined
            : `${count(records)}${total === undefined ? '' : ` of about ${count(total)}`}`,
        ],
        ['Began', <Time key="b" at={operation.createTime} format="absolute" />],
        ['Took', ms === undefined ? undefined : duration(ms)],
        [
          'Config',
          <Link
            key="v"
            to={`/${project}/installations/${integrationId}/${installationId}/config` as never}
            search={{ to: configId } as never}
            title={configId}
          >
            The config it ran under
          </Link>,
        ],
        ['Id', <Id key="d" id={operation.id} />],
      ]}
    />
  )
}
