import type { ReactNode } from 'react'
import { Icon } from '../../parts/icons.tsx'
import { useIntegrations } from '../../parts/integrations.ts'
import { Card } from '../../parts/page.tsx'
import { ProjectLink } from '../../parts/project-links.tsx'
import { Command } from '../../parts/states.tsx'
import { useProjectRef } from '../../session/project.tsx'
import type { Overview } from './types.ts'

/** What to do in a project that has no installation yet. Steps that are done are marked. */
export function FirstSteps({ overview: { connections, backlog } }: { overview: Overview }) {
  const project = useProjectRef()
  const { data: integrations = [] } = useIntegrations()
  const [first] = integrations
  const connected = connections.created + connections.working + connections.bad_credentials
  const provider = first?.provider ?? 'hubspot'
  const name = first?.name ?? 'my-integration'
  return (
    <Card title="First steps">
      <ol className="first-steps">
        <Step title="Deploy a manifest" done={integrations.length > 0}>
          <p className="muted">
            A manifest says which objects and fields of a provider your product reads and writes. The first command
            writes an example.
          </p>
          <Command text={`mortise login --url ${window.location.origin}`} />
          <Command text={`mortise init && mortise deploy --project ${project}`} />
          <p className="small">
            You can also <ProjectLink path="integrations">deploy it here</ProjectLink>.
          </p>
        </Step>
        <Step
          title="Create a destination"
          done={backlog.destinations.some(({ destinationId }) => destinationId !== undefined)}
        >
          <p className="muted">A destination is where Mortise sends records: a webhook of your product, or a stream.</p>
          <Command text={`mortise listen --project ${project}`} />
          <p className="small">
            This command prints messages in your terminal. To add a webhook, open{' '}
            <ProjectLink path="destinations">destinations</ProjectLink>.
          </p>
        </Step>
        <Step title="Connect a test account" done={connected > 0}>
          <p className="muted">The command prints a link. Open it, and connect an account as a customer would.</p>
          <Command text={`mortise connect test-customer --provider ${provider} --project ${project}`} />
        </Step>
        <Step title="Install the integration" done={false}>
          <p className="muted">An installation reads and writes for one customer. Its backfill starts immediately.</p>
          <Command text={`mortise install ${name} --group test-customer --project ${project}`} />
        </Step>
      </ol>
    </Card>
  )
}

function Step({ title, done, children }: { title: string; done: boolean; children: ReactNode }) {
  return (
    <li className={done ? 'done' : undefined}>
      <h3>
        {title}{' '}
        {done && (
          <span className="tag ok">
            <Icon name="check" /> Done
          </span>
        )}
      </h3>
      {!done && children}
    </li>
  )
}
