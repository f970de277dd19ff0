import { Id } from '../../parts/copy-button.tsx'
import { JsonTree } from '../../parts/json-tree.tsx'
import { Facts } from '../../parts/page.tsx'
import { CustomerLink } from '../../parts/project-links.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import type { StoredRecord } from './record.ts'

/** One stored record beside the list, as the API returns it. */
export function RecordPanel({ record }: { record: StoredRecord | undefined }) {
  if (!record)
    return (
      <Empty
        title="This record is not in the rows that are loaded"
        text="It may have changed or been erased since the link was made. Set the filter Customer to find it."
      />
    )
  const { id, objectName, groupRef, provider, workspace, installationId, readTime, modifiedTime, deletedTime } = record
  return (
    <>
      <div className="row">
        <h3 className="grow wrap">{id}</h3>
        {deletedTime === undefined ? <Status state="active" label="Exists" /> : <Status state="deleted" />}
      </div>
      <Facts
        facts={[
          ['Object', objectName],
          ['Customer', <CustomerLink key="c" groupRef={groupRef} />],
          ['Provider', provider],
          ['Workspace', workspace],
          ['Installation', <Id key="i" id={installationId} />],
          ['Changed', <Time key="m" at={modifiedTime} format="absolute" />],
          ['Read', <Time key="r" at={readTime} format="absolute" />],
          ['Deleted', deletedTime && <Time key="d" at={deletedTime} format="absolute" />],
        ]}
      />
      {deletedTime === undefined ? (
        <JsonTree value={record} label="the record" />
      ) : (
        <p className="muted">The provider no longer has this record, so Mortise has deleted its content.</p>
      )}
    </>
  )
}
