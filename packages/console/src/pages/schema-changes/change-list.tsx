import { RowCustomer } from '../../parts/names.tsx'
import { Problem, Skeleton } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { FieldDiff } from './field-diff.tsx'
import { NothingWatched } from './nothing-watched.tsx'
import { type Installation, useChanges } from './use-changes.ts'

/** The history, newest first; each entry is a diff of fields. */
export function ChangeList({
  installations,
  objectName,
}: {
  installations: Installation[]
  objectName: string | undefined
}) {
  const { items, error, isPending, refetch } = useChanges(installations, objectName, true)
  if (items.length === 0) {
    if (error !== null) return <Problem error={error} onRetry={refetch} />
    return isPending ? <Skeleton lines={6} /> : <NothingWatched />
  }
  return (
    <>
      {error !== null && <Problem error={error} onRetry={refetch} />}
      <ol className="changes">
        {items.map(({ installation, item }) => (
          <li key={item.id} className="card">
            <header className="card-header">
              <h2>{item.objectName}</h2>
              <span className="row muted small">
                <RowCustomer
                  installationId={installation.id}
                  integrationId={installation.integrationId}
                  groupRef={installation.group.groupRef}
                />
                <Time at={item.createTime} />
              </span>
            </header>
            <div className="card-body">
              <FieldDiff change={item} />
            </div>
          </li>
        ))}
      </ol>
    </>
  )
}
