import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { CheckField, FormProblem } from '../../parts/fields.tsx'
import { CodeEditor, DiffView } from '../../parts/lazy.tsx'
import { counted } from '../../parts/numbers.ts'
import { Card } from '../../parts/page.tsx'
import { Loaded, Problem } from '../../parts/states.tsx'
import { Tag } from '../../parts/status.tsx'
import { useSettled } from '../../parts/use-settled.ts'
import { useCall, useChange } from '../../session/data.ts'
import { useMay, useProjectRef } from '../../session/project.tsx'
import { useIntegrations } from './all-integrations.ts'
import { Findings, marksOf } from './findings.tsx'
import { type Change, changesOf, type Integration } from './manifest.ts'

/** A manifest that is written here: validated as it is typed, compared with what is deployed, then deployed. */
export function ManifestEditor({
  initial,
  onDeployed,
}: {
  initial: string
  onDeployed: (deployed: Integration[]) => void
}) {
  const project = useProjectRef()
  const mayDeploy = useMay('developer')
  const [yaml, setYaml] = useState(initial)
  const settled = useSettled(yaml)
  const isEmpty = settled.trim() === ''
  const validation = useCall('validateManifest', { body: { sourceYaml: settled } }, { enabled: mayDeploy && !isEmpty })
  const deployed = useIntegrations(project)
  const findings = isEmpty ? [] : validation.data?.findings
  return (
    <div className="stack">
      <div className="editor-side">
        <CodeEditor
          label="Manifest"
          language="yaml"
          value={initial}
          onChange={setYaml}
          findings={marksOf(findings ?? [])}
        />
        <Card title="Findings">
          {isEmpty ? (
            <p className="muted">
              Write a manifest. It is validated as you type, and nothing changes until you deploy.
            </p>
          ) : validation.error ? (
            <Problem error={validation.error} onRetry={validation.refetch} />
          ) : (
            <Findings findings={findings} />
          )}
        </Card>
      </div>
      <Loaded query={deployed}>
        {(there) => (
          <DeployPreview
            yaml={yaml}
            changes={isEmpty ? [] : changesOf(settled, there)}
            canDeploy={mayDeploy && settled === yaml && validation.data?.valid === true && !isEmpty}
            whyNot={
              !mayDeploy
                ? 'Your role does not include deploys. A developer can deploy this.'
                : validation.data?.valid === false
                  ? 'Correct the errors first.'
                  : undefined
            }
            onDeployed={onDeployed}
          />
        )}
      </Loaded>
    </div>
  )
}

function DeployPreview({
  yaml,
  changes,
  canDeploy,
  whyNot,
  onDeployed,
}: {
  yaml: string
  changes: Change[] | undefined
  canDeploy: boolean
  whyNot: string | undefined
  onDeployed: (deployed: Integration[]) => void
}) {
  const project = useProjectRef()
  const [destructive, setDestructive] = useState(false)
  const deploy = useDeploy(project, onDeployed)
  const isChange = changes?.some(({ kind }) => kind !== 'same') ?? false
  const removes = changes?.some(({ kind, removedReads }) => kind === 'changed' && removedReads.length > 0) ?? false
  return (
    <Card title="What a deploy changes">
      {changes === undefined && <p className="muted">The text is not a manifest yet.</p>}
      {changes?.length === 0 && <p className="muted">Nothing yet.</p>}
      {changes?.map((change) => (
        <ChangeOf key={change.name} change={change} project={project} isTextShown />
      ))}
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
          disabled={!canDeploy || !isChange}
          onClick={() => deploy.mutate({ query: { destructive: destructive && removes }, body: { sourceYaml: yaml } })}
        >
          Deploy to {project}
        </Button>
        {whyNot !== undefined && <span className="muted small">{whyNot}</span>}
        {canDeploy && !isChange && <span className="muted small">All of it is deployed already.</span>}
      </div>
    </Card>
  )
}

/** Deploys to a project, which may be another one than that of the page. */
export function useDeploy(project: string, onDeployed: (deployed: Integration[]) => void) {
  return useChange('batchUpsertIntegrations', {
    refreshes: [
      'listIntegrations',
      'getIntegration',
      'listRevisions',
      'listInstallations',
      'listInstallationsForProject',
    ],
    done: (deployed) => `${counted(deployed.length, 'integration')} deployed to ${project}`,
    onDone: onDeployed,
    showsProblem: false,
  })
}

const kinds = { new: 'New', changed: 'New revision', same: 'No change' } as const

/** One integration before and after, and what happens to what is installed. */
export function ChangeOf({
  change,
  project,
  heading = change.name,
  isTextShown = false,
}: {
  change: Change
  project: string
  heading?: string
  /** The whole text is on the page already: what is new need not be repeated. */
  isTextShown?: boolean
}) {
  const { name, kind, before, after, removedReads, addedReads, deployed } = change
  return (
    <section className="stack" aria-label={`Changes of ${name}`}>
      <div className="change-heading">
        <h3>{heading}</h3>
        <Tag meaning={kind === 'same' ? 'none' : 'info'}>{kinds[kind]}</Tag>
        {deployed && kind === 'changed' && <Installed integrationId={deployed.id} project={project} />}
      </div>
      {kind === 'changed' && (addedReads.length > 0 || removedReads.length > 0) && (
        <ul className="small">
          {addedReads.length > 0 && (
            <li>
              Reads of {addedReads.join(', ')} are offered; an installation reads them when its config selects them.
            </li>
          )}
          {removedReads.length > 0 && <li>No longer in the manifest: reads of {removedReads.join(', ')}.</li>}
        </ul>
      )}
      {(kind === 'changed' || (kind === 'new' && !isTextShown)) && <DiffView before={before} after={after} />}
    </section>
  )
}

const shownMax = 100

function Installed({ integrationId, project }: { integrationId: string; project: string }) {
  const { data } = useCall('listInstallations', {
    projectIdOrName: project,
    integrationId,
    query: { pageSize: shownMax },
  })
  if (data === undefined) return null
  if (data.length === 0) return <span className="muted small">Nobody has installed it.</span>
  const many = data.length >= shownMax ? `${shownMax} or more installations` : counted(data.length, 'installation')
  return (
    <span className="muted small">
      {many} {data.length === 1 ? 'uses' : 'use'} the new revision.
    </span>
  )
}
