import { Button } from '../../parts/button.tsx'
import { Id } from '../../parts/copy-button.tsx'
import { useFilters } from '../../parts/filters.tsx'
import { DiffView } from '../../parts/lazy.tsx'
import { Card } from '../../parts/page.tsx'
import { Scrolls } from '../../parts/scrolls.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Tag } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useList } from '../../session/data.ts'
import { type Integration, manifestOf, type Revision } from './manifest.ts'

/** The revisions, newest first, and the difference of two of them: `?from=&to=` in the address. */
export function RevisionsTab({ integration }: { integration: Integration }) {
  const list = useList('listRevisions', { integrationId: integration.id })
  return (
    <Loaded query={{ ...list, data: list.items }}>
      {(revisions) => (
        <Revisions
          revisions={revisions}
          latestId={integration.latestRevision.id}
          more={list.hasNextPage ? () => list.fetchNextPage() : undefined}
        />
      )}
    </Loaded>
  )
}

function Revisions({
  revisions,
  latestId,
  more,
}: {
  revisions: Revision[]
  latestId: string
  more: (() => void) | undefined
}) {
  const [filters, set] = useFilters()
  // Without a choice: the newest against the one before.
  const to = revisions.find(({ id }) => id === filters['to']) ?? revisions[0]
  const before = to && revisions[revisions.indexOf(to) + 1]
  const from = revisions.find(({ id }) => id === filters['from']) ?? before
  return (
    <div className="editor-side">
      <Card title={from && to ? 'What changed' : 'The only revision'}>
        {from && to ? (
          <>
            <p className="muted small">
              From the revision of <Time at={from.createTime} format="absolute" /> to that of{' '}
              <Time at={to.createTime} format="absolute" />
            </p>
            <DiffView before={manifestOf(from)} after={manifestOf(to)} />
          </>
        ) : (
          <p className="muted">The next deploy that changes the content adds one, and the difference is shown here.</p>
        )}
      </Card>
      <Card title="Revisions" flush>
        <Scrolls>
          <table className="plain-table">
            <thead>
              <tr>
                <th scope="col">From</th>
                <th scope="col">To</th>
                <th scope="col">Deployed</th>
                <th scope="col">Revision</th>
              </tr>
            </thead>
            <tbody>
              {revisions.map((revision) => (
                <tr key={revision.id}>
                  {(['from', 'to'] as const).map((side) => (
                    <td key={side}>
                      <input
                        type="radio"
                        name={side}
                        aria-label={`${side === 'from' ? 'From' : 'To'} revision ${revision.id}`}
                        checked={(side === 'from' ? from : to)?.id === revision.id}
                        onChange={() => set({ from: from?.id, to: to?.id, [side]: revision.id })}
                      />
                    </td>
                  ))}
                  <td>
                    <Time at={revision.createTime} /> {revision.id === latestId && <Tag meaning="ok">Latest</Tag>}
                  </td>
                  <td>
                    <Id id={revision.id} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolls>
        {more && (
          <p className="table-more">
            <Button onClick={more}>Show older revisions</Button>
          </p>
        )}
      </Card>
    </div>
  )
}
