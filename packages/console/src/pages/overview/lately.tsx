import { MortiseProblem } from '@mortise/client'
import { actorName } from '../../parts/actor.ts'
import { Card } from '../../parts/page.tsx'
import { ProjectLink } from '../../parts/project-links.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Tag, words } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useCall } from '../../session/data.ts'

/** The last changes that people and keys made in the project. */
export function Lately() {
  const entries = useCall('listProjectAuditEntries', { query: { pageSize: 8 } })
  if (entries.error instanceof MortiseProblem && entries.error.status === 403) return null
  return (
    <Card title="Changed lately" flush actions={<ProjectLink path="settings/audit-log">Audit log</ProjectLink>}>
      <Loaded query={entries}>
        {(all) =>
          all.length === 0 ? (
            <p className="muted card-note">Changes of people and API keys will be here.</p>
          ) : (
            <div className="scrolls">
              <table className="plain-table">
                <thead>
                  <tr>
                    <th>When</th>
                    <th>Who</th>
                    <th>What</th>
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
                        {words(action)} {outcome === 'failure' && <Tag meaning="error">Failed</Tag>}{' '}
                        {resource.id !== undefined && <code className="muted">{resource.id}</code>}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </Card>
  )
}
