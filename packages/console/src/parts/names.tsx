import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useCall } from '../session/data.ts'
import { useProjectRef } from '../session/project.tsx'
import { Id } from './copy-button.tsx'

/** Names change rarely, and are only names. */
const staleMs = 10 * 60_000
/** Rows that pass by while the reader scrolls ask for nothing. */
const settledMs = 150

/** The customer and the integration of an installation, of which a row has the id alone. */
export function useInstallation(
  installationId: string | undefined,
  integrationId?: string,
): { groupRef: string; name: string; integrationId: string } | undefined {
  const [settled, setSettled] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), settledMs)
    return () => clearTimeout(timer)
  }, [])
  const isKnown = installationId !== undefined && integrationId !== undefined
  const one = useCall(
    'getInstallation',
    { integrationId: integrationId ?? '-', installationId: installationId ?? '-' },
    { enabled: settled && isKnown, staleMs },
  )
  const search = useCall(
    'searchProject',
    { query: { query: installationId ?? '-' } },
    { enabled: settled && !isKnown && installationId !== undefined, staleMs },
  )
  if (isKnown && one.data)
    return { groupRef: one.data.group.groupRef, name: one.data.group.groupName, integrationId: one.data.integrationId }
  const found = search.data?.results.find(({ kind, id }) => kind === 'installation' && id === installationId)
  if (found?.groupRef === undefined || found.integrationId === undefined) return undefined
  return { groupRef: found.groupRef, name: found.name || found.groupRef, integrationId: found.integrationId }
}

/** The customer of an installation, with a link to the installation. */
export function InstallationName({
  installationId,
  integrationId,
}: {
  installationId: string | undefined
  integrationId?: string | undefined
}) {
  const project = useProjectRef()
  const found = useInstallation(installationId, integrationId)
  if (installationId === undefined) return <span className="muted">–</span>
  const integration = integrationId ?? found?.integrationId
  if (integration === undefined) return <Id id={installationId} />
  return (
    <Link to={`/${project}/installations/${integration}/${installationId}` as never} title={installationId}>
      {found?.name ?? `${installationId.slice(0, 8)}…`}
    </Link>
  )
}

/** The name of an integration, with a link. */
export function IntegrationName({ integrationId }: { integrationId: string | undefined }) {
  const project = useProjectRef()
  const names = useIntegrationNames()
  if (integrationId === undefined) return <span className="muted">–</span>
  return (
    <Link to={`/${project}/integrations/${integrationId}` as never} title={integrationId}>
      {names.get(integrationId) ?? `${integrationId.slice(0, 8)}…`}
    </Link>
  )
}

/** Names of the project's integrations by their ids. */
export function useIntegrationNames(): Map<string, string> {
  const { data } = useCall('listIntegrations', {}, { staleMs })
  return new Map(data?.map(({ id, name }) => [id, name]))
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
  return <Link to={`/${project}/destinations/${encodeURIComponent(name)}` as never}>{name}</Link>
}
