import { type FormEvent, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { FormProblem, issueOf, TextArea, TextField } from '../../parts/fields.tsx'
import { Card } from '../../parts/page.tsx'
import { Skeleton } from '../../parts/states.tsx'
import { useChange } from '../../session/data.ts'
import { type Project, useMay, useProject } from '../../session/project.tsx'
import { SettingsPage } from './settings-page.tsx'
import './settings.css'

export default function ConnectSettingsPage() {
  const project = useProject()
  return <SettingsPage>{project ? <ConnectForm key={project.id} project={project} /> : <Skeleton />}</SettingsPage>
}

/** Colors that the form offers. The API knows more. */
const colors = [
  ['accent', 'Accent', '#1c6b50'],
  ['accentText', 'Text on the accent', '#ffffff'],
  ['surface', 'Surface', '#ffffff'],
  ['text', 'Text', '#1d2421'],
] as const
type Color = (typeof colors)[number][0]

function ConnectForm({ project }: { project: Project }) {
  const { connect = {} } = project
  const mayChange = useMay('developer')
  const [theme, setTheme] = useState<Partial<Record<Color, string>>>(connect.theme ?? {})
  const [language, setLanguage] = useState(connect.language ?? '')
  const [origins, setOrigins] = useState((connect.frameOrigins ?? []).join('\n'))
  const change = useChange('updateProject', {
    refreshes: ['listProjects', 'getProject'],
    done: 'The connect pages were changed',
    showsProblem: false,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const frameOrigins = origins.split(/\s+/).filter((origin) => origin !== '')
    const { language: _, ...others } = connect
    const next = {
      ...others,
      theme: { ...connect.theme, ...theme },
      frameOrigins,
      ...(language !== '' && { language }),
    }
    change.mutate({ projectIdOrName: project.id, body: { project: { connect: next }, updateMask: ['connect'] } })
  }
  return (
    <div className="grid-2">
      <Card title="What your customers see">
        <form className="form" onSubmit={submit}>
          <div className="colors">
            {colors.map(([name, label, usual]) => (
              <TextField
                key={name}
                type="color"
                label={label}
                value={theme[name] ?? usual}
                disabled={!mayChange}
                error={issueOf(change.error, name)}
                onChange={(event) => setTheme({ ...theme, [name]: event.target.value })}
              />
            ))}
          </div>
          <TextField
            label="Language"
            optional
            help="A tag such as de or pt-BR. Without it, the language of the customer's browser."
            value={language}
            disabled={!mayChange}
            error={issueOf(change.error, 'language')}
            onChange={(event) => setLanguage(event.target.value)}
          />
          <TextArea
            label="Sites that may show the pages in a frame"
            optional
            help="One origin a line, such as https://app.example.com."
            value={origins}
            disabled={!mayChange}
            error={issueOf(change.error, 'frameOrigins')}
            onChange={(event) => setOrigins(event.target.value)}
          />
          <FormProblem error={change.error} />
          <div className="row">
            <Button type="submit" look="primary" busy={change.isPending} disabled={!mayChange}>
              Save
            </Button>
            {!mayChange && <span className="muted">Developers and owners can change this.</span>}
          </div>
        </form>
      </Card>
      <Card title="Preview">
        <Preview theme={theme} product={project.appName} />
        <p className="muted">
          <a href="/docs/connect-theming">All variables of the theme</a>
        </p>
      </Card>
    </div>
  )
}

function Preview({ theme, product }: { theme: Partial<Record<Color, string>>; product: string }) {
  const color = (name: Color) => theme[name] ?? colors.find(([one]) => one === name)?.[2]
  return (
    <div className="connect-preview" style={{ background: color('surface'), color: color('text') }} aria-hidden="true">
      <strong>Connect your account to {product}</strong>
      <span>API key</span>
      <span className="connect-preview-field" />
      <span className="connect-preview-button" style={{ background: color('accent'), color: color('accentText') }}>
        Connect
      </span>
    </div>
  )
}
