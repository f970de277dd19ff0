import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Id } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FormProblem, issueOf, TextField } from '../../parts/fields.tsx'
import { Card, Facts } from '../../parts/page.tsx'
import { Skeleton } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useChange } from '../../session/data.ts'
import { type Project, useMay, useProject, useProjects } from '../../session/project.tsx'
import { AgentSignIn } from './agent-sign-in.tsx'
import { SettingsPage } from './settings-page.tsx'

export default function ProjectSettingsPage() {
  const project = useProject()
  const isOwner = useMay('owner')
  return (
    <SettingsPage actions={isOwner && project && <NewProject orgId={project.orgId} />}>
      {project ? <ProjectForms key={project.id} project={project} /> : <Skeleton />}
    </SettingsPage>
  )
}

function ProjectForms({ project }: { project: Project }) {
  const mayChange = useMay('developer')
  const [name, setName] = useState(project.name)
  const [appName, setAppName] = useState(project.appName)
  const navigate = useNavigate()
  const change = useChange('updateProject', {
    refreshes: ['listProjects', 'getProject'],
    done: 'The project was changed',
    showsProblem: false,
    onDone: ({ name }) => navigate({ to: `/${name}/settings` as never, replace: true }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate({
      projectIdOrName: project.id,
      body: { project: { name, appName }, updateMask: ['name', 'appName'] },
    })
  }
  return (
    <div className="grid-2">
      <Card title="Project">
        <form className="form" onSubmit={submit}>
          <TextField
            label="Name"
            help="In addresses of the API and of this console, and in the command line."
            value={name}
            disabled={!mayChange}
            error={issueOf(change.error, 'name')}
            onChange={(event) => setName(event.target.value)}
          />
          <TextField
            label="Name of your product"
            help="Your customers see it when they connect an account."
            value={appName}
            disabled={!mayChange}
            error={issueOf(change.error, 'appName')}
            onChange={(event) => setAppName(event.target.value)}
          />
          <FormProblem error={change.error} />
          <div className="row">
            <Button
              type="submit"
              look="primary"
              busy={change.isPending}
              disabled={!mayChange || (name === project.name && appName === project.appName)}
            >
              Save
            </Button>
            {!mayChange && <span className="muted">Developers and owners can change this.</span>}
          </div>
        </form>
      </Card>
      <Card title="Facts">
        <Facts
          facts={[
            ['Id', <Id key="id" id={project.id} />],
            ['Organization', <Id key="org" id={project.orgId} />],
            ['Created', <Time key="created" at={project.createTime} format="absolute" />],
            ['Changed', project.updateTime && <Time key="changed" at={project.updateTime} format="absolute" />],
          ]}
        />
        <Environments />
      </Card>
      <AgentSignIn project={project} />
    </div>
  )
}

/** Other projects: usually one for each environment. */
function Environments() {
  const projects = useProjects()
  const current = useProject()
  const others = projects.filter(({ id }) => id !== current?.id)
  return (
    <p className="muted">
      {others.length === 0
        ? 'Create a second project to try integrations before your customers get them. You can then promote a manifest from one project to the other.'
        : `Other projects: ${others.map(({ name }) => name).join(', ')}. Integrations shows how they differ.`}
    </p>
  )
}

function NewProject({ orgId }: { orgId: string }) {
  const [open, setOpen] = useState(false)
  const [name, setName] = useState('')
  const [appName, setAppName] = useState('')
  const navigate = useNavigate()
  const create = useChange('createProject', {
    refreshes: ['listProjects', 'getMyInfo'],
    done: ({ name }) => `The project ${name} was created`,
    showsProblem: false,
    onDone: ({ name }) => {
      setOpen(false)
      navigate({ to: `/${name}/overview` as never })
    },
  })
  return (
    <>
      <Button onClick={() => setOpen(true)}>Create project</Button>
      <Dialog open={open} onClose={() => setOpen(false)} title="Create a project">
        <form
          className="form"
          onSubmit={(event) => {
            event.preventDefault()
            create.mutate({ body: { name, appName, orgId } })
          }}
        >
          <TextField
            label="Name"
            help="For example acme-staging"
            required
            value={name}
            error={issueOf(create.error, 'name')}
            onChange={(event) => setName(event.target.value)}
          />
          <TextField
            label="Name of your product"
            required
            value={appName}
            error={issueOf(create.error, 'appName')}
            onChange={(event) => setAppName(event.target.value)}
          />
          <FormProblem error={create.error} />
          <div className="row dialog-actions">
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button type="submit" look="primary" busy={create.isPending}>
              Create project
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  )
}
