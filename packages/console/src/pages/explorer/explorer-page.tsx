import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useFilters } from '../../parts/filters.tsx'
import { Page, Tabs } from '../../parts/page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { useProjectRef } from '../../session/project.tsx'
import { ApiRequest } from './api-request.tsx'
import type { Sent } from './history.ts'
import { HistoryCard } from './history-card.tsx'
import { type Operation, useOperations } from './openapi.ts'
import { ProxyRequest } from './proxy-request.tsx'
import { ToolRequest } from './tool-request.tsx'
import './explorer.css'

/**
 * Calls any endpoint of the API, any provider through the proxy, and any tool of agents. What is chosen and entered is
 * in the address.
 */
export default function ExplorerPage() {
  const project = useProjectRef()
  const { tab } = useParams({ strict: false }) as { tab?: string }
  return (
    <Page
      title="Explorer"
      about="Sends real requests as you, with your role. Your token stays in the memory of this page."
      tabs={
        <Tabs
          tabs={[
            { label: 'API', to: `/${project}/explorer` },
            { label: 'Provider', to: `/${project}/explorer/provider` },
            { label: 'Tool', to: `/${project}/explorer/tool` },
          ]}
        />
      }
    >
      {tab === 'provider' ? <ProxyRequest /> : tab === 'tool' ? <ToolRequest /> : <Api />}
    </Page>
  )
}

function Api() {
  const operations = useOperations()
  return <Loaded query={operations}>{(all) => <Endpoints operations={all} />}</Loaded>
}

function Endpoints({ operations }: { operations: Operation[] }) {
  const [filters, set] = useFilters()
  // What an entry of the history fills in beside the address: its body.
  const [chosen, setChosen] = useState<Sent>()
  const operation = operations.find(({ id }) => id === filters['op'])
  const body = chosen?.operationId === operation?.id ? chosen?.body : undefined
  return (
    <div className="explorer">
      <OperationList operations={operations} />
      <div className="stack">
        {operation ? (
          <ApiRequest key={`${operation.id} ${chosen?.at}`} operation={operation} body={body} />
        ) : (
          <Empty
            title="Choose an endpoint"
            text="Each one shows what it needs. A request to read is sent immediately; one that may change something asks first."
          />
        )}
        <HistoryCard
          kind="api"
          onChoose={(sent) => {
            setChosen(sent)
            const cleared = Object.keys(filters).filter((name) => name.startsWith('p_'))
            set({
              ...Object.fromEntries(cleared.map((name) => [name, undefined])),
              ...Object.fromEntries(Object.entries(sent.parameters ?? {}).map(([name, value]) => [`p_${name}`, value])),
              op: sent.operationId,
            })
          }}
        />
      </div>
    </div>
  )
}

function OperationList({ operations }: { operations: Operation[] }) {
  const [filters] = useFilters()
  const [query, setQuery] = useState('')
  const wanted = query.trim().toLowerCase()
  const found = operations.filter(({ id, path, summary }) =>
    [id, path, summary].some((text) => text.toLowerCase().includes(wanted)),
  )
  const tags = [...new Set(found.map(({ tag }) => tag))]
  return (
    <section className="explorer-list" aria-label="Endpoints">
      <input
        type="search"
        aria-label="Find an endpoint"
        placeholder="Find an endpoint"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      <nav aria-label="Endpoints">
        {tags.map((tag) => (
          <div key={tag}>
            <h2>{tag}</h2>
            {found
              .filter((operation) => operation.tag === tag)
              .map(({ id, method, summary }) => (
                <Link
                  key={id}
                  to="."
                  search={{ op: id } as never}
                  title={summary}
                  preload={false}
                  aria-current={filters['op'] === id ? 'page' : undefined}
                >
                  <span className={`method ${method}`}>{method}</span>
                  {id}
                </Link>
              ))}
          </div>
        ))}
        {found.length === 0 && <p className="muted">No endpoint matches.</p>}
      </nav>
    </section>
  )
}
