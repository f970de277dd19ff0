import { useQueries, useQuery } from '@tanstack/react-query'
import { client } from '../../session/session.ts'
import type { Integration } from './manifest.ts'

/** All integrations of a project. Manifests are few, so that they are compared here. */
const query = (project: string) => ({
  queryKey: ['listIntegrations', { projectIdOrName: project }, 'all'],
  queryFn: async () => {
    const found: Integration[] = []
    for await (const one of client.each('listIntegrations', { projectIdOrName: project })) found.push(one)
    return found
  },
})

export function useIntegrations(project: string) {
  return useQuery(query(project))
}

export function useIntegrationsOf(projects: readonly string[]) {
  return useQueries({ queries: projects.map(query) })
}
