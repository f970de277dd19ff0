import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { preloadWindows } from '../parts/dialog.tsx'
import { Icon } from '../parts/icons.tsx'
import { IntegrationNamesProvider } from '../parts/names.tsx'
import { ProjectRefProvider, useMe, useProjectRef, useProjects } from '../session/project.tsx'
import { CommandMenu } from './command-menu.tsx'
import { KeyHelp } from './key-help.tsx'
import { LiveUpdates } from './live-updates.tsx'
import { sections } from './sections.ts'
import { useKeys } from './use-keys.ts'
import { WaitingApprovals } from './waiting-approvals.tsx'

// What the first page can be used without loads after it.
const AccountMenu = lazy(() => import('./account-menu.tsx'))
const Toaster = lazy(() => import('../parts/toaster.tsx'))
const laterMs = 1_000

/** The frame of every page: the sidebar, and the page beside it. */
export function Shell() {
  return (
    <ProjectRefProvider>
      <IntegrationNamesProvider>
        <Frame />
      </IntegrationNamesProvider>
    </ProjectRefProvider>
  )
}

function Frame() {
  const [open, setOpen] = useState(false)
  const [searching, setSearching] = useState(false)
  const [help, setHelp] = useState(false)
  const isLater = useLater()
  const { pathname } = useLocation()
  const main = useRef<HTMLElement>(null)
  const before = useRef(pathname)
  // A screen reader continues at the new page, not at the link that led to it.
  useEffect(() => {
    setOpen(false)
    if (before.current !== pathname) main.current?.focus({ preventScroll: true })
    before.current = pathname
  }, [pathname])
  useKeys({ 'mod+k': () => setSearching(true), '/': () => setSearching(true), '?': () => setHelp(true) })
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <header className="topbar">
        <Button look="quiet" icon aria-label="Menu" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name="menu" />
        </Button>
        <Mark />
        <span className="grow" />
        <Button look="quiet" icon aria-label="Search" onClick={() => setSearching(true)}>
          <Icon name="search" />
        </Button>
      </header>
      <aside className={open ? 'sidebar opened' : 'sidebar'} aria-label="Console">
        <div className="sidebar-top">
          <Mark />
          <ProjectSwitch />
          <button type="button" className="search-button" onClick={() => setSearching(true)}>
            <Icon name="search" /> Search <kbd>{isMac ? '⌘' : 'Ctrl '}K</kbd>
          </button>
        </div>
        <Sections isLater={isLater} />
        <Account>{isLater && <AccountMenu onHelp={() => setHelp(true)} />}</Account>
      </aside>
      <main id="main" ref={main} tabIndex={-1}>
        <Outlet />
      </main>
      <LiveUpdates />
      <CommandMenu open={searching} onClose={() => setSearching(false)} />
      <KeyHelp open={help} onClose={() => setHelp(false)} />
      {isLater && (
        <Suspense fallback={null}>
          <Toaster />
        </Suspense>
      )}
    </div>
  )
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

function Mark() {
  return (
    <Link to="/" className="mark">
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M3 3h8v6h2V3h8v18h-8v-6h-2v6H3z" />
      </svg>
      Mortise
    </Link>
  )
}

function ProjectSwitch() {
  const projects = useProjects()
  const current = useProjectRef()
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const section = pathname.split('/')[2] ?? 'overview'
  return (
    <select
      className="project-switch"
      aria-label="Project"
      value={projects.find(({ id, name }) => id === current || name === current)?.id ?? ''}
      onChange={(event) => {
        const next = projects.find(({ id }) => id === event.target.value)
        if (next) navigate({ to: `/${next.name}/${section}` as never })
      }}
    >
      {!current && <option value="">Choose a project</option>}
      {projects.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )
}

function Sections({ isLater }: { isLater: boolean }) {
  const projects = useProjects()
  const project = useProjectRef() || projects[0]?.name
  if (project === undefined) return <nav aria-label="Sections" className="sections" />
  return (
    <nav aria-label="Sections" className="sections">
      {sections.map(({ label, sections }) => (
        <div key={label ?? sections[0]?.path}>
          {label !== undefined && <span className="sections-label">{label}</span>}
          {sections.map(({ label, path, icon, shows }) => (
            <Link key={path} to={`/${project}/${path}` as never} activeProps={{ 'aria-current': 'page' }}>
              <Icon name={icon} /> {label} {shows !== undefined && isLater && <WaitingApprovals />}
            </Link>
          ))}
        </div>
      ))}
    </nav>
  )
}

function Account({ children }: { children: ReactNode }) {
  const me = useMe()
  const later = (
    <Button look="quiet" icon disabled aria-label="Account">
      <Icon name="more" />
    </Button>
  )
  return (
    <div className="account row" title={me.builder.primaryEmail}>
      <span className="account-name">{me.builder.fullName || me.builder.primaryEmail}</span>
      <Suspense fallback={later}>{children || later}</Suspense>
    </div>
  )
}

/** True once the first page has had time to appear. */
function useLater(): boolean {
  const [isLater, setLater] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => {
      setLater(true)
      preloadWindows()
    }, laterMs)
    return () => clearTimeout(timer)
  }, [])
  return isLater
}
