import { useCall } from '../session/data.ts'

/** The integrations of the project. They are few, and change with a deploy. */
export function useIntegrations() {
  return useCall('listIntegrations', {}, { staleMs: 60_000 })
}

/** Returns the name of an integration for people; its id until the names are there. */
export function useIntegrationName(): (id: string) => string {
  const { data } = useIntegrations()
  return (id) => {
    const found = data?.find((integration) => integration.id === id)
    return found ? found.latestRevision.content.displayName || found.name : `${id.slice(0, 8)}…`
  }
}

/** Integrations to choose from in a filter. */
export function useIntegrationChoices(): { value: string; label: string }[] {
  const { data = [] } = useIntegrations()
  return data.map(({ id, name, latestRevision }) => ({ value: id, label: latestRevision.content.displayName || name }))
}
