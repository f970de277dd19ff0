import { useEffect, useState } from 'react'
import { useCall } from '../session/data.ts'
import { useProjectRef } from '../session/project.tsx'
import { Id } from './copy-button.tsx'
import { RowLink } from './row-link.tsx'

/** Names change rarely, and are only names. */
const staleMs = 10 * 60_000
/** Rows that pass by while the reader scrolls ask for nothing. */
const settledMs = 150

/** The customer and the integration of an installation, of which a row has the id alone. */
export function useInstallation(
  installationId: string | undefined,
  integrationId?: string,
): { groupRef: string; name: string; integrationId: string } | undefined {
  const isKnown = installationId !== undefined && integrationId !== undefined
  const one = useCall(
    'getInstallation',
    { integrationId: integrationId ?? '-', installationId: installationId ?? '-' },
    { enabled: isKnown, staleMs },
  )
  const search = useCall(
    'searchProject',
    { query: { query: installationId ?? '-' } },
    { enabled: !isKnown && installationId !== undefined, staleMs },
  )
  if (isKnown && one.data)
    return { groupRef: one.data.group.groupRef, name: one.data.group.groupName, integrationId: one.data.integrationId }
  const found = search.data?.results.find(({ kind, id }) => kind === 'installation' && id === installationId)
  if (found?.groupRef === undefined || found.integrationId === undefined) return undefined
  return { groupRef: found.groupRef, name: found.name || found.groupRef, integrationId: found.integrationId }
}

interface Ids {
  installationId: string | undefined
  integrationId?: string | undefined
}

/** The customer of an installation, with a link to the installation. */
export function InstallationName({ installationId, integrationId }: Ids) {
  const [settled, setSettled] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), settledMs)
    return () => clearTimeout(timer)
  }, [])
  if (installationId === undefined) return <span className="muted">–</span>
  if (!settled) return <span className="muted">{installationId.slice(0, 8)}…</span>
  return <Named installationId={installationId} integrationId={integrationId} />
}

function Named({ installationId, integrationId }: Ids & { installationId: string }) {
  const project = useProjectRef()
  const found = useInstallation(installationId, integrationId)
  const integration = integrationId ?? found?.integrationId
  if (integration === undefined) return <Id id={installationId} />
  return (
    <RowLink to={`/${project}/installations/${integration}/${installationId}`} title={installationId}>
      {found?.name ?? `${installationId.slice(0, 8)}…`}
    </RowLink>
  )
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
