import { Button } from '../../parts/button.tsx'
import { CopyButton, Id } from '../../parts/copy-button.tsx'
import { ConfirmButton } from '../../parts/dialog.tsx'
import { useFilters } from '../../parts/filters.tsx'
import { Card, Facts } from '../../parts/page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Status, Tag } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useChange } from '../../session/data.ts'
import { useMay, useProjectRef } from '../../session/project.tsx'
import { AppForm } from './app-form.tsx'
import { AppGuide } from './app-guide.tsx'
import { checksOf, nameOf, needsApp, type Provider, type ProviderApp, useProviderApps } from './provider.ts'
import { TestConnection } from './test-connection.tsx'

/** The apps that the project has at a provider. `?app=` is the one that is edited, or `new`. */
export function AppsTab({ provider }: { provider: Provider }) {
  const project = useProjectRef()
  const query = useProviderApps(project)
  const [filters, set] = useFilters()
  const mayEdit = useMay('developer')
  const close = () => set({ app: undefined })
  return (
    <Loaded query={query}>
      {(all) => {
        const apps = all.filter((app) => app.provider === provider.name)
        const edited = apps.find(({ id }) => id === filters['app'])
        const isOpen = mayEdit && (filters['app'] === 'new' || edited !== undefined)
        if (isOpen)
          return (
            <div className="grid-2">
              <div className="stack">
                <AppGuide provider={provider} app={edited} />
              </div>
              <Card title={edited ? `Edit the app ${edited.clientId}` : `Add an app of ${nameOf(provider)}`}>
                <AppForm key={edited?.id} provider={provider} apps={apps} app={edited} onClose={close} />
              </Card>
            </div>
          )
        return <Apps provider={provider} apps={apps} />
      }}
    </Loaded>
  )
}

function Apps({ provider, apps }: { provider: Provider; apps: ProviderApp[] }) {
  const [, set] = useFilters()
  const mayEdit = useMay('developer')
  const add = mayEdit ? (
    <Button look="primary" onClick={() => set({ app: 'new' })}>
      Add an app
    </Button>
  ) : (
    <span className="muted small">Developers can add apps.</span>
  )
  if (!needsApp(provider) && apps.length === 0)
    return (
      <Empty
        title={`${nameOf(provider)} needs no app of yours`}
        text="Its customers authenticate with what they enter themselves. Connect a test account to try it."
      />
    )
  if (apps.length === 0)
    return (
      <Empty
        title="No app yet"
        text={`Customers authorize an app that you register at ${nameOf(provider)}. Register it, then store its client id and secret here.`}
        action={add}
      />
    )
  return (
    <Card title="Apps" actions={add}>
      {apps.map((app) => (
        <AppRow key={app.id} provider={provider} app={app} />
      ))}
    </Card>
  )
}

function AppRow({ provider, app }: { provider: Provider; app: ProviderApp }) {
  const [, set] = useFilters()
  const mayEdit = useMay('developer')
  const deletion = useChange('deleteProviderApp', { refreshes: ['listProviderApps'], done: 'App deleted' })
  return (
    <section className="app-row" aria-label={`App ${app.clientId}`}>
      <div className="row">
        <h3>{app.externalRef || app.clientId}</h3>
        <span className="grow" />
        {mayEdit && (
          <>
            <Button onClick={() => set({ app: app.id })}>Edit</Button>
            <ConfirmButton
              label="Delete"
              title={`Delete the app ${app.clientId}`}
              text="Customers can no longer authorize it. An app that has connections cannot be deleted."
              action="Delete app"
              typed={app.clientId}
              busy={deletion.isPending}
              onConfirm={() => deletion.mutateAsync({ providerAppId: app.id }).catch(() => undefined)}
            />
          </>
        )}
      </div>
      <div className="grid-2">
        <Facts
          facts={[
            ['Client id', <code key="client">{app.clientId}</code>],
            ['Client secret', 'Stored, never shown'],
            [
              'Scopes',
              (app.scopes ?? []).length > 0 && (
                <span key="scopes" className="row">
                  {app.scopes?.map((scope) => (
                    <Tag key={scope}>{scope}</Tag>
                  ))}
                </span>
              ),
            ],
            ['Allowed hosts', app.allowedHosts?.join(', ')],
            ['Id', <Id key="id" id={app.id} />],
            ['Changed', <Time key="changed" at={app.updateTime ?? app.createTime} />],
          ]}
        />
        <div className="stack">
          <ul className="checks">
            {checksOf(provider, app).map(({ label, isDone, hint }) => (
              <li key={label}>
                <Status state={isDone ? 'success' : 'warning'} label={label} />
                {!isDone && hint !== undefined && <p className="muted small">{hint}</p>}
              </li>
            ))}
          </ul>
          <TestConnection provider={provider} appId={app.id} />
        </div>
      </div>
      {app.webhookUrls && app.webhookUrls.length > 0 && <WebhookUrls urls={app.webhookUrls} />}
    </section>
  )
}

function WebhookUrls({ urls }: { urls: NonNullable<ProviderApp['webhookUrls']> }) {
  return (
    <div className="stack">
      <h3>Webhook addresses to enter in the app</h3>
      {urls.map(({ integrationId, integrationName, url }) => (
        <div key={integrationId} className="command">
          <code className="wrap">{url}</code>
          <CopyButton text={url} label={`Copy the webhook address of ${integrationName}`} />
        </div>
      ))}
    </div>
  )
}
