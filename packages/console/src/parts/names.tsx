import { createContext, type ReactNode, useContext, useMemo } from 'react'
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
  const names = useContext(IntegrationNames)
  if (integrationId === undefined) return <span className="muted">–</span>
  return (
    <RowLink to={`/${project}/integrations/${integrationId}`} title={integrationId}>
      {names.get(integrationId) ?? `${integrationId.slice(0, 8)}…`}
    </RowLink>
  )
}

const IntegrationNames = createContext<ReadonlyMap<string, string>>(new Map())

/** Requests the names of the project's integrations once for all rows of all lists. */
export function IntegrationNamesProvider({ children }: { children: ReactNode }) {
  const { data } = useCall('listIntegrations', {}, { enabled: useProjectRef() !== '', staleMs })
  const names = useMemo(() => new Map(data?.map(({ id, name }) => [id, name])), [data])
  return <IntegrationNames value={names}>{children}</IntegrationNames>
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
