/** What a resend can be limited to: the integrations that send records to a destination, and their objects. */

interface Integration {
  id: string
  name: string
  latestRevision: { content: { displayName?: string } & Record<string, unknown> }
}

export interface ResendSource {
  id: string
  /** As the command line takes it. */
  name: string
  label: string
  objects: string[]
}

/** Returns the integrations of which at least one object goes to a destination. */
export function sourcesOf(destinationName: string, integrations: readonly object[]): ResendSource[] {
  return (integrations as readonly Integration[]).flatMap(({ id, name, latestRevision: { content } }) => {
    const { objects } = (content['read'] ?? {}) as { objects?: { objectName?: unknown; destination?: unknown }[] }
    const sent = (Array.isArray(objects) ? objects : []).filter(({ destination }) => destination === destinationName)
    if (sent.length === 0) return []
    return [{ id, name, label: content.displayName || name, objects: sent.map(({ objectName }) => String(objectName)) }]
  })
}

/** Returns the objects of one integration, or of all, each once. */
export function objectsOfSources(sources: readonly ResendSource[], integrationId: string): string[] {
  const chosen = integrationId === '' ? sources : sources.filter(({ id }) => id === integrationId)
  return [...new Set(chosen.flatMap(({ objects }) => objects))].toSorted()
}
