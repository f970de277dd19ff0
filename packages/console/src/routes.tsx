import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  type RouteComponent,
} from '@tanstack/react-router'
import OverviewPage from './pages/overview/overview-page.tsx'
import { Empty, Problem, Skeleton } from './parts/states.tsx'
import { callQuery, queryClient } from './session/data.ts'
import { meQuery, projectsQuery, useProjects } from './session/project.tsx'
import { isSignedOut } from './session/session.ts'
import { Shell } from './shell/shell.tsx'

/**
 * Every page and its address. A page is a file in `pages/`, and loads when it is opened; the first one after a sign-in
 * comes with the console. The first part of an address is the project; `account` is no project's name.
 */

const root = createRootRoute({
  loader: () => Promise.all([queryClient.ensureQueryData(meQuery), queryClient.ensureQueryData(projectsQuery)]),
  component: Shell,
  pendingComponent: () => <Skeleton lines={8} />,
  errorComponent: ({ error, reset }) =>
    isSignedOut(error) ? null : (
      <div className="page">
        <Problem error={error} onRetry={reset} />
      </div>
    ),
  notFoundComponent: () => (
    <div className="page">
      <Empty title="There is no such page" text="The link may be wrong, or what it showed was deleted." />
    </div>
  ),
})

type Loader = () => Promise<{ default: RouteComponent }>

/** A page that comes with the console, and what it needs is requested with the account. */
interface FirstPage {
  component: RouteComponent
  prefetch: (project: string) => void
}

const page = (path: string, page: Loader | FirstPage) =>
  createRoute({
    getParentRoute: () => root,
    path,
    ...(typeof page === 'function'
      ? { component: lazyRouteComponent(page) }
      : {
          component: page.component,
          loader: ({ params }: { params: object }) => page.prefetch((params as { project: string }).project),
        }),
  })

function Start() {
  const projects = useProjects()
  const first = projects[0]
  if (!first)
    return (
      <div className="page">
        <Empty title="You have no project yet" text="Ask an owner of your organization for an invite." />
      </div>
    )
  return <Navigate to={`/${first.name}/overview` as never} replace />
}

// Not awaited: the page shows what is missing.
function prefetchOverview(project: string): void {
  void queryClient.prefetchQuery(callQuery('getOverview', { projectIdOrName: project }))
}

const routes = [
  createRoute({ getParentRoute: () => root, path: '/', component: Start }),
  createRoute({
    getParentRoute: () => root,
    path: '/$project',
    component: function First() {
      const { project } = (routes[1] as { useParams: () => { project: string } }).useParams()
      return <Navigate to={`/${project}/overview` as never} replace />
    },
  }),
  page('/$project/overview', { component: OverviewPage, prefetch: prefetchOverview }),
  page('/$project/settings', () => import('./pages/settings/project-settings-page.tsx')),
  page('/$project/settings/connect', () => import('./pages/settings/connect-settings-page.tsx')),
  page('/$project/settings/api-keys', () => import('./pages/settings/api-keys-page.tsx')),
  page('/$project/settings/token-keys', () => import('./pages/settings/token-keys-page.tsx')),
  page('/$project/settings/people', () => import('./pages/settings/people-page.tsx')),
  page('/$project/settings/domains', () => import('./pages/settings/domains-page.tsx')),
  page('/$project/settings/audit-log', () => import('./pages/settings/audit-log-page.tsx')),
  page('/account', () => import('./pages/account/account-page.tsx')),
  page('/$project/customers', () => import('./pages/customers/customers-page.tsx')),
  page('/$project/customers/$groupRef', () => import('./pages/customers/customer-page.tsx')),
  page('/$project/installations', () => import('./pages/installations/installations-page.tsx')),
  page(
    '/$project/installations/$integrationId/$installationId',
    () => import('./pages/installations/installation-page.tsx'),
  ),
  page(
    '/$project/installations/$integrationId/$installationId/$tab',
    () => import('./pages/installations/installation-page.tsx'),
  ),
  page('/$project/connections', () => import('./pages/connections/connections-page.tsx')),
  page('/$project/connections/$connectionId', () => import('./pages/connections/connection-page.tsx')),
  page('/$project/operations', () => import('./pages/operations/operations-page.tsx')),
  page('/$project/operations/$operationId', () => import('./pages/operations/operation-page.tsx')),
  page('/$project/approvals', () => import('./pages/approvals/approvals-page.tsx')),
  page('/$project/messages', () => import('./pages/messages/messages-page.tsx')),
  page('/$project/messages/$messageId', () => import('./pages/messages/message-page.tsx')),
  page('/$project/dead-letters', () => import('./pages/dead-letters/dead-letters-page.tsx')),
  page('/$project/destinations', () => import('./pages/destinations/destinations-page.tsx')),
  page('/$project/destinations/$destination', () => import('./pages/destinations/destination-page.tsx')),
  page('/$project/destinations/$destination/records', () => import('./pages/records/records-page.tsx')),
  page('/$project/provider-events', () => import('./pages/provider-events/provider-events-page.tsx')),
  page('/$project/schema-changes', () => import('./pages/schema-changes/schema-changes-page.tsx')),
  page('/$project/notifications', () => import('./pages/notifications/notifications-page.tsx')),
  page('/$project/integrations', () => import('./pages/integrations/integrations-page.tsx')),
  page('/$project/integrations/deploy', () => import('./pages/integrations/deploy-page.tsx')),
  page('/$project/integrations/environments', () => import('./pages/integrations/environments-page.tsx')),
  page('/$project/integrations/$integration', () => import('./pages/integrations/integration-page.tsx')),
  page('/$project/integrations/$integration/$tab', () => import('./pages/integrations/integration-page.tsx')),
  page('/$project/providers', () => import('./pages/providers/providers-page.tsx')),
  page('/$project/providers/$provider', () => import('./pages/providers/provider-page.tsx')),
  page('/$project/providers/$provider/$tab', () => import('./pages/providers/provider-page.tsx')),
  page('/$project/explorer', () => import('./pages/explorer/explorer-page.tsx')),
  page('/$project/explorer/$tab', () => import('./pages/explorer/explorer-page.tsx')),
]

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultPendingMs: 300,
  // What has loaded is shown: skeletons do not flash.
  defaultPendingMinMs: 0,
  defaultErrorComponent: ({ error, reset }) => (
    <div className="page">
      <Problem error={error} onRetry={reset} />
    </div>
  ),
  scrollRestoration: true,
  // Filters are texts: `?status=failure`, never JSON.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(search as Record<string, string>).toString()
    return text === '' ? '' : `?${text}`
  },
})
