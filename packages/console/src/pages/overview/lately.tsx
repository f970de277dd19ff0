import { MortiseProblem } from '@mortise/client'
import { useActorName } from '../../parts/actor.ts'
import { Id } from '../../parts/copy-button.tsx'
import { Card } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { ConnectionLink, CustomerLink, ProjectLink } from '../../parts/project-links.tsx'
import { Scrolls } from '../../parts/scrolls.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Tag, words } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useCall } from '../../session/data.ts'

/** The last changes that people and keys made in the project. */
export function Lately() {
  const actorName = useActorName()
  const entries = useCall('listProjectAuditEntries', { query: { pageSize: 6 } })
  if (entries.error instanceof MortiseProblem && entries.error.status === 403) return null
  return (
    <Card title="Changed lately" flush actions={<ProjectLink path="settings/audit-log">Audit log</ProjectLink>}>
      <Loaded query={entries}>
        {(all) =>
          all.length === 0 ? (
            <p className="muted card-note">Changes of people and API keys will be here.</p>
          ) : (
            <Scrolls>
              <table className="plain-table">
                <thead>
                  <tr>
                    <th>When</th>
                    <th>Who</th>
                    <th>What</th>
                    <th>Of</th>
                  </tr>
                </thead>
                <tbody>
                  {all.map(({ id, time, actor, action, outcome, resource }) => (
                    <tr key={id}>
                      <td>
                        <Time at={time} />
                      </td>
                      <td>{actorName(actor)}</td>
                      <td>
                        {words(action)} {outcome === 'failure' && <Tag meaning="error">Failed</Tag>}
                      </td>
                      <td>
                        <Resource kind={resource.kind} id={resource.id} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scrolls>
          )
        }
      </Loaded>
    </Card>
  )
}

/** What was changed: a link where it has a page here. */
function Resource({ kind, id }: { kind: string; id: string | undefined }) {
  if (id === undefined) return null
  if (kind === 'connection') return <ConnectionLink id={id}>{id.slice(0, 8)}…</ConnectionLink>
  if (kind === 'group') return <CustomerLink groupRef={id} />
  if (kind === 'destination') return <ProjectLink path={paths.destination(id)}>{id.slice(0, 8)}…</ProjectLink>
  return <Id id={id} />
}
