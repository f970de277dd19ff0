import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Id } from '../../parts/copy-button.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Card, Columns, Facts, Page, Tabs } from '../../parts/page.tsx'
import { Scrolls } from '../../parts/scrolls.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Status, Tag } from '../../parts/status.tsx'
import { useProjectRef } from '../../session/project.tsx'
import { AppsTab } from './apps-tab.tsx'
import { AuthenticationCard } from './authentication-card.tsx'
import { LetterMark } from './letter-mark.tsx'
import { capabilities, capabilityLabels, nameOf, needsApp, type Provider, useProvider } from './provider.ts'
import { TestConnection } from './test-connection.tsx'
import './providers.css'

/** One provider: what works, what customers are asked for, its apps, and a test account. */
export default function ProviderPage() {
  const project = useProjectRef()
  const { provider: name = '', tab } = useParams({ strict: false }) as { provider?: string; tab?: string }
  const query = useProvider(name)
  const base = `/${project}/providers/${encodeURIComponent(name)}`
  const provider = query.data
  return (
    <Page
      title={provider ? nameOf(provider) : name}
      parents={[{ label: 'Providers', to: `/${project}/providers` }]}
      state={provider && <LetterMark name={nameOf(provider)} />}
      actions={
        <a className="button plain" href={`/docs/providers/${encodeURIComponent(name)}`} target="_blank" rel="noopener">
          Documentation <Icon name="external" />
        </a>
      }
      tabs={
        <Tabs
          tabs={[
            { label: 'What works', to: base },
            { label: 'Apps', to: `${base}/apps` },
          ]}
        />
      }
    >
      <Loaded query={query} lines={8}>
        {(data) => (tab === 'apps' ? <AppsTab provider={data} /> : <Overview provider={data} />)}
      </Loaded>
    </Page>
  )
}

function Overview({ provider }: { provider: Provider }) {
  return (
    <Columns
      main={
        <>
          <WorksCard provider={provider} />
          <AuthenticationCard provider={provider} />
        </>
      }
      side={
        <>
          <Card title="Connect a test account">
            <TestConnection provider={provider} />
          </Card>
          <Card title="Facts">
            <Facts facts={factsOf(provider)} />
          </Card>
        </>
      }
    />
  )
}

function WorksCard({ provider }: { provider: Provider }) {
  return (
    <Card title="What works" flush>
      <Scrolls>
        <table className="plain-table">
          <thead>
            <tr>
              <th scope="col">Capability</th>
              <th scope="col">In Mortise</th>
            </tr>
          </thead>
          <tbody>
            {capabilities.map((capability) => (
              <tr key={capability}>
                <th scope="row">{capabilityLabels[capability]}</th>
                <td>
                  {provider.implemented[capability] ? (
                    <Status state="success" label="Works" />
                  ) : (
                    <Status state="none" label="Not in this release" />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolls>
    </Card>
  )
}

function factsOf(provider: Provider): [string, ReactNode][] {
  const { name, baseURL, modules = {}, defaultModule, support, evidence, connected, seeAlso } = provider
  const changes = (['create', 'update', 'delete'] as const).filter((change) => support.subscribeSupport?.[change])
  return [
    ['Key', <Id key="key" id={name} />],
    ['Base URL', <code key="url">{baseURL}</code>],
    [
      'Modules',
      Object.entries(modules).length > 0 && (
        <ul key="modules" className="modules">
          {Object.entries(modules).map(([id, { displayName }]) => (
            <li key={id}>
              {displayName || id} {id === defaultModule && <Tag meaning="info">Default</Tag>}
            </li>
          ))}
        </ul>
      ),
    ],
    ['Events', changes.join(', ')],
    ['Objects in', seeAlso && <SeeAlso key="seeAlso" {...seeAlso} />],
    ['Evidence', evidence.summary],
    ['What worked', connected && [...connected.parts, ...(connected.objects ?? [])].join(', ')],
    ['Needs an app', needsApp(provider) ? 'Yes, one that you register' : 'No'],
  ]
}

function SeeAlso({ provider, module }: NonNullable<Provider['seeAlso']>) {
  const project = useProjectRef()
  return (
    <>
      <Link to={`/${project}/providers/${encodeURIComponent(provider)}` as never}>{provider}</Link>
      {module === undefined ? '' : `, module ${module}`}
    </>
  )
}
