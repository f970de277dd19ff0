import { Link, useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { useScrollMarks } from './scrolls.tsx'

export interface PageProps {
  title: string
  /** What stands above it in the console: a list, a customer. */
  parents?: { label: string; to: string }[]
  /** The state of what the page shows. */
  state?: ReactNode
  /** One line: what it is. */
  about?: ReactNode
  /** The main action, and a menu of others. */
  actions?: ReactNode
  /** Tabs below the header. */
  tabs?: ReactNode
  /** Fills the window, so that a list scrolls by itself. */
  fills?: boolean
  children: ReactNode
}

/** A page: its header, and what it shows. Sets the title of the window. */
export function Page({ title, parents = [], state, about, actions, tabs, fills = false, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Mortise`
  }, [title])
  return (
    <div className={fills ? 'page fills' : 'page'}>
      <header className="page-header">
        <div className="page-title">
          {parents.length > 0 && (
            <nav aria-label="Parents" className="parents">
              {parents.map(({ label, to }) => (
                <Link key={to} to={to}>
                  {label}
                </Link>
              ))}
            </nav>
          )}
          <div className="row">
            <h1>{title}</h1>
            {state}
          </div>
          {about !== undefined && <div className="muted">{about}</div>}
        </div>
        {actions !== undefined && <div className="row actions">{actions}</div>}
      </header>
      {tabs}
      {children}
    </div>
  )
}

/** A card with a heading. */
export function Card({
  title,
  actions,
  children,
  flush = false,
}: {
  title?: ReactNode
  actions?: ReactNode
  children: ReactNode
  /** Without space around the content: for tables. */
  flush?: boolean
}) {
  return (
    <section className={flush ? 'card flush' : 'card'}>
      {(title !== undefined || actions !== undefined) && (
        <header className="card-header">
          {title !== undefined && <h2>{title}</h2>}
          {actions !== undefined && <div className="row">{actions}</div>}
        </header>
      )}
      <div className="card-body">{children}</div>
    </section>
  )
}

/** Facts about one thing: terms on the left, values on the right. What is undefined or false is left out. */
export function Facts({ facts }: { facts: [term: string, value: ReactNode][] }) {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false)
        .map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}

/** Two columns: what happened on the left, the facts on the right; one below the other where there is little room. */
export function Columns({ main, side }: { main: ReactNode; side: ReactNode }) {
  return (
    <div className="columns">
      <div className="stack">{main}</div>
      <aside className="stack" aria-label="Facts">
        {side}
      </aside>
    </div>
  )
}

/** Tabs that are pages: each has an address. */
export function Tabs({ tabs }: { tabs: { label: string; to: string; search?: Record<string, string> }[] }) {
  const { pathname } = useLocation()
  const list = useRef<HTMLElement>(null)
  useScrollMarks(list)
  // Where there is little room, the tabs scroll: the chosen one is in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path decides which one that is
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [pathname])
  return (
    <nav ref={list} className="tabs" aria-label="Parts of this page">
      {tabs.map(({ label, to, search }) => (
        <Link
          key={`${to}${JSON.stringify(search ?? {})}`}
          to={to}
          search={(search ?? {}) as never}
          activeOptions={{ exact: true, includeSearch: search !== undefined }}
          activeProps={{ 'aria-current': 'page' }}
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}
