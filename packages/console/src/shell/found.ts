import type { Item } from '@mortise/client'
import { paths } from '../parts/paths.ts'

/** Something that the search found, and the page that shows it. */
export interface Found {
  kind: string
  label: string
  to: string
  search?: Record<string, string>
}

type Result = Item<'searchProject'>

/** The page of a result. What has no page of its own is shown by what it belongs to. */
export function found(project: string, result: Result): Found {
  const { kind, id, name } = result
  const { label, path, search } = pages[kind](result)
  return { kind: label, label: name || id, to: `/${project}/${path}`, ...(search && { search }) }
}

const pages: Record<
  Result['kind'],
  (result: Result) => { label: string; path: string; search?: Record<string, string> }
> = {
  group: ({ id }) => ({ label: 'Customer', path: paths.customer(id) }),
  consumer: ({ id }) => ({ label: 'Person at a customer', path: 'connections', search: { consumerRef: id } }),
  integration: ({ id }) => ({ label: 'Integration', path: paths.integration(id) }),
  installation: ({ id, integrationId = '' }) => ({
    label: 'Installation',
    path: paths.installation(integrationId, id),
  }),
  connection: ({ id, provider }) => ({
    label: provider === undefined ? 'Connection' : `Connection to ${provider}`,
    path: paths.connection(id),
  }),
  operation: ({ id }) => ({ label: 'Operation', path: paths.operation(id) }),
  message: ({ id }) => ({ label: 'Message', path: `messages/${id}` }),
  destination: ({ id }) => ({ label: 'Destination', path: paths.destination(id) }),
  topic: () => ({ label: 'Topic', path: 'notifications' }),
  providerApp: ({ id, provider }) =>
    provider === undefined
      ? { label: 'Provider app', path: 'providers' }
      : { label: 'Provider app', path: paths.providerApps(provider), search: { app: id } },
  revision: ({ id, integrationId = '' }) => ({
    label: 'Revision',
    path: paths.revisions(integrationId),
    search: { to: id },
  }),
  apiKey: () => ({ label: 'API key', path: 'settings/api-keys' }),
}
