import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { CheckField, FormProblem, SelectField } from '../../parts/fields.tsx'
import { useFilters } from '../../parts/filters.tsx'
import { Card } from '../../parts/page.tsx'
import { Problem } from '../../parts/states.tsx'
import { useCall } from '../../session/data.ts'
import { type Project, useMe } from '../../session/project.tsx'
import { includes, roleOf } from '../../session/roles.ts'
import { Findings } from './findings.tsx'
import { changesOf, type Integration, manifestOf } from './manifest.ts'
import { ChangeOf, useDeploy } from './manifest-editor.tsx'

/** One integration from this project to another: what differs, what validation says there, and the deploy. */
export function Promotion({
  source,
  from,
  to,
  targets,
  deployed,
}: {
  source: Integration
  from: Project
  to: Project
  targets: Project[]
  deployed: Integration[]
}) {
  const [, set] = useFilters()
  const me = useMe()
  const mayDeploy = includes(roleOf(me.projectRoles[to.id]?.role ?? me.orgRole?.role), 'developer')
  const [destructive, setDestructive] = useState(false)
  const sourceYaml = manifestOf(source.latestRevision)
  const validation = useCall(
    'validateManifest',
    { projectIdOrName: to.name, body: { sourceYaml } },
    { enabled: mayDeploy },
  )
  const deploy = useDeploy(to.name, () => undefined)
  const [change] = changesOf(sourceYaml, deployed) ?? []
  const removes = change?.kind === 'changed' && change.removedReads.length > 0
  return (
    <Card
      title={`${source.name}: from ${from.name} to ${to.name}`}
      actions={<Button onClick={() => set({ integration: undefined, to: undefined })}>Close</Button>}
    >
      {targets.length > 1 && (
        <SelectField
          label="Deploy to"
          value={to.name}
          choices={targets.map(({ name }) => ({ value: name, label: name }))}
          onChange={(event) => set({ to: event.target.value })}
        />
      )}
      {change && <ChangeOf change={change} project={to.name} heading={`What changes in ${to.name}`} />}
      {mayDeploy && (
        <section className="stack" aria-label={`Findings in ${to.name}`}>
          <h3>Validated in {to.name}</h3>
          {validation.error ? (
            <Problem error={validation.error} onRetry={validation.refetch} />
          ) : (
            <Findings findings={validation.data?.findings} />
          )}
        </section>
      )}
      {removes && (
        <CheckField
          label="Pause the reads of removed objects"
          help="Otherwise installations keep reading them as their configs say, until you change those."
          checked={destructive}
          onChange={setDestructive}
        />
      )}
      <FormProblem error={deploy.error} />
      <div className="row">
        <Button
          look="primary"
          busy={deploy.isPending}
          disabled={!mayDeploy || change?.kind === 'same' || validation.data?.valid !== true}
          onClick={() =>
            deploy.mutate({
              projectIdOrName: to.name,
              query: { destructive: destructive && removes },
              body: { sourceYaml },
            })
          }
        >
          Deploy to {to.name}
        </Button>
        {!mayDeploy && <span className="muted small">Developers of {to.name} can deploy this.</span>}
        {change?.kind === 'same' && <span className="muted small">Both projects have the same manifest.</span>}
      </div>
    </Card>
  )
}
