import { useCall } from '../session/data.ts'
import { useProjectRef } from '../session/project.tsx'
import { Id } from './copy-button.tsx'
import { RowLink } from './row-link.tsx'

/** Names change rarely, and are only names. */
const staleMs = 10 * 60_000

/** The customer of an installation, of which a page has only the ids. */
export function useInstallation(
  installationId: string,
  integrationId: string,
): { groupRef: string; name: string } | undefined {
  const { data } = useCall('getInstallation', { integrationId, installationId }, { staleMs })
  return data && { groupRef: data.group.groupRef, name: data.group.groupName }
}

interface Ids {
  installationId?: string | undefined
  integrationId?: string | undefined
}

/**
 * The customer of an installation, in a row of a list. The list says whose it is: a row requests nothing. Shows the id
 * of an installation that is deleted.
 */
export function RowCustomer({ installationId, integrationId, groupRef }: Ids & { groupRef?: string | undefined }) {
  const project = useProjectRef()
  if (installationId === undefined) return <span className="muted">–</span>
  if (groupRef === undefined || integrationId === undefined) return <Id id={installationId} />
  return (
    <RowLink to={`/${project}/installations/${integrationId}/${installationId}`} title={installationId}>
      {groupRef}
    </RowLink>
  )
}

/** The customer of an installation, on a page of one thing that has only its ids. */
export function InstallationName(ids: { installationId: string; integrationId: string }) {
  return <RowCustomer {...ids} groupRef={useInstallation(ids.installationId, ids.integrationId)?.name} />
}

/** The name of an integration, with a link. */
export function IntegrationName({ integrationId }: { integrationId: string | undefined }) {
  const project = useProjectRef()
  const names = useIntegrationNames()
  if (integrationId === undefined) return <span className="muted">–</span>
  return (
    <RowLink to={`/${project}/integrations/${integrationId}`} title={integrationId}>
      {names.get(integrationId) ?? `${integrationId.slice(0, 8)}…`}
    </RowLink>
  )
}

type Integrations = { id: string; name: string }[]
const none = new Map<string, string>()
const known = new WeakMap<Integrations, Map<string, string>>()

/** The same map for the same answer: every row of a list needs it. */
function namesOf(integrations: Integrations): Map<string, string> {
  const names = known.get(integrations) ?? new Map(integrations.map(({ id, name }) => [id, name]))
  known.set(integrations, names)
  return names
}

/** Names of the project's integrations by their ids. */
export function useIntegrationNames(): Map<string, string> {
  const { data } = useCall('listIntegrations', {}, { staleMs })
  return data === undefined ? none : namesOf(data)
}

/** A destination by its name, with a link. */
export function DestinationName({ name, missing = false }: { name: string; missing?: boolean }) {
  const project = useProjectRef()
  if (missing)
    return (
      <span title="No destination has this name. The messages wait until you create it.">
        {name} <span className="muted small">missing</span>
      </span>
    )
  return <RowLink to={`/${project}/destinations/${encodeURIComponent(name)}`}>{name}</RowLink>
}
