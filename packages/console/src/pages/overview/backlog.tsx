import { count } from '../../parts/numbers.ts'
import { Card } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { ProjectLink } from '../../parts/project-links.tsx'
import { Scrolls } from '../../parts/scrolls.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useProjectRef } from '../../session/project.tsx'
import type { Overview } from './types.ts'

/** Destinations with what waits for them; those with a problem first. */
export function Backlog({ overview: { backlog } }: { overview: Overview }) {
  const project = useProjectRef()
  const destinations = backlog.destinations.toSorted(
    (a, b) => Number(a.state === 'active') - Number(b.state === 'active') || b.waiting.count - a.waiting.count,
  )
  return (
    <Card title="Destinations" flush>
      {destinations.length === 0 ? (
        <Empty
          title="No destination yet"
          text="A destination is where Mortise sends the messages of an object."
          command={`mortise create destination webhook https://app.example.com/webhook --project ${project}`}
        />
      ) : (
        <Scrolls>
          <table className="plain-table">
            <thead>
              <tr>
                <th>Destination</th>
                <th>State</th>
                <th className="right">Waiting</th>
                <th className="right">Oldest</th>
                <th className="right">Dead letters</th>
              </tr>
            </thead>
            <tbody>
              {destinations.map(
                ({ destinationId, destinationName, state, disabledReason, waiting, oldestTime, deadLetters }) => (
                  <tr key={destinationId ?? destinationName}>
                    <td>
                      {destinationId === undefined ? (
                        destinationName
                      ) : (
                        <ProjectLink path={paths.destination(destinationId)}>{destinationName}</ProjectLink>
                      )}
                    </td>
                    <td>
                      <Status
                        state={state === 'missing' ? 'error' : state}
                        {...(state === 'missing' && { label: 'Does not exist' })}
                        reason={disabledReason}
                      />
                    </td>
                    <td className="right">
                      {count(waiting.count)}
                      {waiting.capped ? '+' : ''}
                    </td>
                    <td className="right">
                      <Time at={oldestTime} />
                    </td>
                    <td className="right">
                      {deadLetters.count === 0 ? (
                        '–'
                      ) : (
                        <ProjectLink path="dead-letters" search={{ destination: destinationName }}>
                          {count(deadLetters.count)}
                          {deadLetters.capped ? '+' : ''}
                        </ProjectLink>
                      )}
                    </td>
                  </tr>
                ),
              )}
            </tbody>
          </table>
        </Scrolls>
      )}
    </Card>
  )
}
