import { useFilters } from '../../parts/filters.tsx'
import { useIntegrationName } from '../../parts/integrations.ts'
import { count } from '../../parts/numbers.ts'
import { Card } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { CustomerLink, ProjectLink } from '../../parts/project-links.tsx'
import { ranges, useRange } from '../../parts/range-switch.tsx'
import { Scrolls } from '../../parts/scrolls.tsx'
import { Loaded } from '../../parts/states.tsx'
import { useCall } from '../../session/data.ts'

const lists = [
  ['failedReads', 'Failed reads'],
  ['failedDeliveries', 'Failed deliveries'],
  ['failedProviderCalls', 'Failed provider calls'],
  ['recordsRead', 'Records read'],
  ['messagesPosted', 'Messages'],
  ['providerCalls', 'Provider calls'],
] as const

/** The installations with the highest count of something, in the range of the page. */
export function TopInstallations() {
  const [{ top }, set] = useFilters()
  const [by, label] = lists.find(([name]) => name === top) ?? lists[3]
  const range = useRange()
  const nameOf = useIntegrationName()
  const query = useCall('listTopInstallations', { query: { by, interval: ranges[range].interval, limit: 8 } })
  return (
    <Card
      title="Top installations"
      flush
      actions={
        <select
          className="plain-select"
          aria-label="Sorted by"
          value={by}
          onChange={(event) => set({ top: event.target.value })}
        >
          {lists.map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      }
    >
      <Loaded query={query}>
        {(all) => {
          const found = all.filter(({ counts }) => counts[by] > 0)
          if (found.length === 0) return <p className="muted card-note">None in {ranges[range].label}.</p>
          return (
            <Scrolls>
              <table className="plain-table">
                <thead>
                  <tr>
                    <th>Customer</th>
                    <th>Installation</th>
                    <th className="right">{label}</th>
                  </tr>
                </thead>
                <tbody>
                  {found.map(({ installationId, integrationId, groupRef, counts }) => (
                    <tr key={installationId}>
                      <td>
                        {groupRef === undefined ? (
                          <span className="muted">Deleted</span>
                        ) : (
                          <CustomerLink groupRef={groupRef} />
                        )}
                      </td>
                      <td>
                        <ProjectLink path={paths.installation(integrationId, installationId)}>
                          {nameOf(integrationId)}
                        </ProjectLink>
                      </td>
                      <td className="right">{count(counts[by])}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scrolls>
          )
        }}
      </Loaded>
    </Card>
  )
}
