import { Link, useNavigate } from '@tanstack/react-router'
import { DataTable, whole } from '../../parts/data-table.tsx'
import { FilterBar, useFilters } from '../../parts/filters.tsx'
import { count, counted } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { Tag, words } from '../../parts/status.tsx'
import { useProjectRef } from '../../session/project.tsx'
import { LetterMark } from './letter-mark.tsx'
import {
  capabilities,
  evidenceLabels,
  nameOf,
  needsApp,
  type Provider,
  schemeLabels,
  useProviderApps,
  useProviders,
} from './provider.ts'
import './providers.css'

/** The catalog. Its filters are what works in this release, not what a provider can do elsewhere. */
export default function ProvidersPage() {
  const project = useProjectRef()
  const navigate = useNavigate()
  const query = useProviders()
  const apps = useProviderApps(project)
  const [filters] = useFilters()
  const all = query.data && Object.values(query.data)
  const items = all
    ?.filter((provider) => isFound(provider, filters, new Set(apps.data?.map((app) => app.provider))))
    .toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)))
  const appsOf = (name: string) => apps.data?.filter(({ provider }) => provider === name).length ?? 0
  return (
    <Page
      title="Providers"
      about={all ? `${count(all.length)} services whose accounts your customers can connect.` : 'The catalog.'}
      fills
    >
      <FilterBar
        filters={[
          { name: 'q', label: 'Name', kind: 'text' },
          {
            name: 'works',
            label: 'Works',
            choices: capabilities.map((value) => ({ value, label: words(value) })),
          },
          {
            name: 'auth',
            label: 'Authentication',
            choices: Object.entries(schemeLabels).map(([value, label]) => ({ value, label })),
          },
          {
            name: 'evidence',
            label: 'Evidence',
            choices: Object.entries(evidenceLabels).map(([value, label]) => ({ value, label })),
          },
          {
            name: 'app',
            label: 'App',
            choices: [
              { value: 'yes', label: 'in this project' },
              { value: 'needed', label: 'needed' },
              { value: 'none', label: 'not needed' },
            ],
          },
        ]}
      />
      <DataTable
        label="Providers"
        list={whole(items, query)}
        keyOf={({ name }) => name}
        onOpen={({ name }) => navigate({ to: `/${project}/providers/${encodeURIComponent(name)}` as never })}
        columns={[
          {
            id: 'name',
            header: 'Name',
            least: 180,
            cell: (provider: Provider) => (
              <Link className="row tight" to={`/${project}/providers/${encodeURIComponent(provider.name)}` as never}>
                <LetterMark name={nameOf(provider)} /> {nameOf(provider)}
              </Link>
            ),
          },
          {
            id: 'works',
            header: 'Works',
            width: 380,
            least: 340,
            cell: (provider: Provider) => <Works provider={provider} />,
          },
          {
            id: 'auth',
            header: 'Authentication',
            width: 180,
            cell: ({ authType }: Provider) => schemeLabels[authType],
          },
          {
            id: 'apps',
            header: 'Apps',
            width: 120,
            cell: (provider: Provider) => <Apps apps={appsOf(provider.name)} isNeeded={needsApp(provider)} />,
          },
          { id: 'key', header: 'Key', width: 180, cell: ({ name }: Provider) => <code>{name}</code> },
        ]}
        empty={
          <Empty
            title="No provider matches"
            text="Clear the filters, or describe the provider in a file of yours."
            action={<a href="/docs/guides/provider-files">How provider files work</a>}
          />
        }
      />
    </Page>
  )
}

function Works({ provider: { implemented } }: { provider: Provider }) {
  const works = capabilities.filter((capability) => implemented[capability])
  if (works.length === 0) return <span className="muted">Not in this release</span>
  return (
    <span className="row tight">
      {works.map((capability) => (
        <Tag key={capability} meaning={capability === 'proxy' ? 'none' : 'ok'}>
          {words(capability)}
        </Tag>
      ))}
    </span>
  )
}

function Apps({ apps, isNeeded }: { apps: number; isNeeded: boolean }) {
  if (apps > 0) return <span className="number">{counted(apps, 'app')}</span>
  return <span className="muted">{isNeeded ? 'None yet' : '–'}</span>
}

function isFound(provider: Provider, filters: Record<string, string>, withApps: ReadonlySet<string>): boolean {
  const { q = '', works, auth, app, evidence } = filters
  const wanted = q.trim().toLowerCase()
  const capability = capabilities.find((one) => one === works)
  return (
    (wanted === '' ||
      [provider.name, nameOf(provider), provider.seeAlso?.provider ?? ''].some((text) =>
        text.toLowerCase().includes(wanted),
      )) &&
    (capability === undefined || provider.implemented[capability]) &&
    (auth === undefined || provider.schemes.some(({ type }) => type === auth) || provider.authType === auth) &&
    (evidence === undefined || provider.evidence.kind === evidence) &&
    (app !== 'yes' || withApps.has(provider.name)) &&
    (app !== 'needed' || needsApp(provider)) &&
    (app !== 'none' || !needsApp(provider))
  )
}
