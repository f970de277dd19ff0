import { Link } from '@tanstack/react-router'
import { LinkButton } from '../../parts/button.tsx'
import { useFilters } from '../../parts/filters.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Scrolls } from '../../parts/scrolls.tsx'
import { Empty, Problem, Skeleton } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { type Project, useProject, useProjects } from '../../session/project.tsx'
import { useIntegrationsOf } from './all-integrations.ts'
import { IntegrationTabs } from './integrations-page.tsx'
import { type Integration, integrationPath, isSame } from './manifest.ts'
import { Promotion } from './promotion.tsx'
import './integrations.css'

/**
 * The integrations of all projects of the organization side by side, compared with the project of the address. A cell
 * leads to the difference, from which the manifest is deployed there.
 */
export default function EnvironmentsPage() {
  const project = useProject()
  const projects = useProjects().filter(({ orgId, id }) => orgId === project?.orgId && id !== project?.id)
  return (
    <Page
      title="Integrations"
      about="Projects are environments: deploy a manifest from this project to the next one when it works."
      tabs={<IntegrationTabs />}
    >
      {project && projects.length > 0 ? (
        <Environments project={project} others={projects} />
      ) : (
        <Empty
          title="Only one project"
          text="With a second project, such as staging, their integrations are compared here, and manifests are deployed from one to the other."
          action={<LinkButton to={`/${project?.name}/settings` as never}>Create a project in the settings</LinkButton>}
        />
      )}
    </Page>
  )
}

function Environments({ project, others }: { project: Project; others: Project[] }) {
  const projects = [project, ...others]
  const queries = useIntegrationsOf(projects.map(({ name }) => name))
  const [filters, set] = useFilters()
  const failed = queries.find(({ error }) => error != null)
  if (failed && failed.data === undefined) return <Problem error={failed.error} onRetry={failed.refetch} />
  if (queries.some(({ data }) => data === undefined)) return <Skeleton lines={6} />
  const integrations = queries.map(({ data }) => data ?? [])
  const names = [...new Set(integrations.flat().map(({ name }) => name))].toSorted()
  if (names.length === 0)
    return <Empty title="No project has an integration yet" command={`mortise deploy --project ${project.name}`} />
  const of = (projectIndex: number, name: string) => integrations[projectIndex]?.find((one) => one.name === name)
  const chosenName = filters['integration']
  const target = others.find(({ name }) => name === filters['to']) ?? (chosenName ? others[0] : undefined)
  const source = chosenName === undefined ? undefined : of(0, chosenName)
  return (
    <>
      <Card flush>
        <Scrolls>
          <table className="plain-table environments">
            <thead>
              <tr>
                <th scope="col">Integration</th>
                {projects.map(({ id, name }, index) => (
                  <th scope="col" key={id}>
                    {name}
                    {index === 0 && ' (this project)'}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {names.map((name) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  {projects.map((one, index) => (
                    <td
                      key={one.id}
                      className={name === chosenName && one.id === target?.id ? 'chosen-cell' : undefined}
                    >
                      <Cell
                        project={one}
                        mine={of(0, name)}
                        theirs={of(index, name)}
                        isBase={index === 0}
                        onCompare={() => set({ integration: name, to: one.name })}
                      />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolls>
      </Card>
      {chosenName !== undefined && !source && (
        <p className="muted">
          {project.name} has no integration {chosenName}, so there is nothing to promote from here.
        </p>
      )}
      {source && target && (
        <Promotion
          key={`${source.id} ${target.id}`}
          source={source}
          from={project}
          to={target}
          targets={others}
          deployed={integrations[projects.indexOf(target)] ?? []}
        />
      )}
    </>
  )
}

/** What a project has of one integration, compared with the project of the page. */
function Cell({
  project,
  mine,
  theirs,
  isBase,
  onCompare,
}: {
  project: Project
  mine: Integration | undefined
  theirs: Integration | undefined
  isBase: boolean
  onCompare: () => void
}) {
  if (!theirs && (isBase || !mine)) return <span className="muted">–</span>
  const when = theirs && <Time at={theirs.latestRevision.createTime} />
  if (isBase && theirs)
    return (
      <>
        <Link to={integrationPath(project.name, theirs) as never}>Deployed</Link>{' '}
        <span className="muted small">{when}</span>
      </>
    )
  if (!mine)
    return (
      <>
        <Status state="none" label="Only here" /> <span className="muted small">{when}</span>
      </>
    )
  if (theirs && isSame(mine.latestRevision, theirs.latestRevision))
    return (
      <>
        <Status state="success" label="Same" /> <span className="muted small">{when}</span>
      </>
    )
  return (
    <>
      <button type="button" className="cell-link" onClick={onCompare}>
        <Status state={theirs ? 'warning' : 'pending'} label={theirs ? 'Differs' : 'Not deployed'} />
      </button>{' '}
      <span className="muted small">{when}</span>
    </>
  )
}
