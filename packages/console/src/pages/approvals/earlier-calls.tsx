import { ProjectLink } from '../../parts/project-links.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useCall } from '../../session/data.ts'
import { OperationLink } from '../operations/operation-link.tsx'
import { resultOf } from '../operations/use-operations.ts'
import type { Approval } from './approval.ts'

const shown = 5

/** What agents did in the same account until the request: the reason for it is often there. */
export function EarlierCalls({ approval: { installationId, createTime } }: { approval: Approval }) {
  const query = { installationId, actionType: 'tool', createdBefore: createTime } as const
  const calls = useCall('searchOperations', { query: { ...query, pageSize: shown } })
  return (
    <section className="stack" aria-label="Calls until then">
      <div className="row">
        <h3 className="grow">Calls in this account until then</h3>
        {(calls.data?.results.length ?? 0) > 0 && (
          <ProjectLink path="operations" search={query}>
            All
          </ProjectLink>
        )}
      </div>
      <Loaded query={calls} lines={3}>
        {({ results }) =>
          results.length === 0 ? (
            <p className="muted">No earlier call is stored.</p>
          ) : (
            <ul className="earlier">
              {results.map((operation) => (
                <li key={operation.id}>
                  <Status state={operation.status} />
                  <span className="wrap">
                    <OperationLink id={operation.id}>{resultOf(operation) ?? operation.id}</OperationLink>
                  </span>
                  <Time at={operation.createTime} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  )
}
