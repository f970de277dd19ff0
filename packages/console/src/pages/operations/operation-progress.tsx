import { count } from '../../parts/numbers.ts'
import { Card } from '../../parts/page.tsx'
import { type Operation, recordsOf } from './use-operations.ts'

/** How far a read is. */
export function OperationProgress({ operation }: { operation: Operation }) {
  const records = recordsOf(operation) ?? 0
  const total = operation.metadata?.progress?.recordsEstimatedTotal
  return (
    <Card title="In progress">
      <div className="stack">
        <span className="number">
          {count(records)} {total === undefined ? 'records so far' : `of about ${count(total)} records`}
        </span>
        {total !== undefined && total > 0 && (
          <progress className="progress" value={Math.min(records, total)} max={total} aria-label="Records read" />
        )}
        <span className="muted small">You can leave this page; the operation continues.</span>
      </div>
    </Card>
  )
}
