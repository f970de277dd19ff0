import type { Output } from '@mortise/client'
import { useQueries } from '@tanstack/react-query'
import { guarded, useCall } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'
import { client } from '../../session/session.ts'

export type SchemaChange = Output<'listSchemaChanges'>[number]
export type SchemaWatch = Output<'listSchemaWatches'>[number]
export type Installation = Output<'listInstallationsForProject'>[number]

/** Installations whose histories one page shows. */
export const installationsMax = 24
/** The newest changes of each of them; all, when there is one. */
const newest = 20

export interface Of<T> {
  installation: Installation
  item: T
}

/** The installations that the filters choose: one, if the address names it. */
export function useChosenInstallations(filters: Record<string, string>) {
  const { integrationId, groupRef, installationId } = filters
  const isOne = installationId !== undefined && integrationId !== undefined
  const one = useCall(
    'getInstallation',
    { integrationId: integrationId ?? '', installationId: installationId ?? '' },
    { enabled: isOne },
  )
  const list = useCall(
    'listInstallationsForProject',
    {
      query: {
        pageSize: installationsMax + 1,
        ...(integrationId !== undefined && { integrationId }),
        ...(groupRef !== undefined && { groupRef }),
      },
    },
    { enabled: !isOne },
  )
  const { error, isPending, refetch } = isOne ? one : list
  const data = isOne ? one.data && [one.data] : list.data
  return {
    error,
    isPending,
    refetch,
    data: data?.slice(0, installationsMax),
    areMore: (data?.length ?? 0) > installationsMax,
  }
}

/** What several installations list, each with its installation. */
function useOfEach<T>(
  name: 'listSchemaChanges' | 'listSchemaWatches',
  installations: Installation[],
  query: Record<string, unknown>,
  enabled: boolean,
) {
  const project = useProjectRef()
  return useQueries({
    queries: installations.map(({ id, integrationId }) => {
      const input = { projectIdOrName: project, integrationId, installationId: id, query }
      return {
        queryKey: [name, input],
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          guarded(client[name](input as never, { signal }) as Promise<unknown[]>),
        enabled,
      }
    }),
    combine: (answers) => ({
      error: answers.find(({ error }) => error !== null)?.error ?? null,
      isPending: answers.some(({ isPending }) => isPending),
      refetch: () => Promise.all(answers.map(({ refetch }) => refetch())),
      items: answers.flatMap(({ data }, index): Of<T>[] => {
        const installation = installations[index]
        return installation && data ? data.map((item) => ({ installation, item: item as T })) : []
      }),
    }),
  })
}

export function useChanges(installations: Installation[], objectName: string | undefined, enabled: boolean) {
  const query = {
    ...(installations.length > 1 && { pageSize: newest }),
    ...(objectName !== undefined && { objectName }),
  }
  const answer = useOfEach<SchemaChange>('listSchemaChanges', installations, query, enabled)
  return {
    ...answer,
    items: answer.items.toSorted((one, other) => other.item.createTime.localeCompare(one.item.createTime)),
  }
}

export function useWatches(installations: Installation[], objectName: string | undefined, enabled: boolean) {
  const answer = useOfEach<SchemaWatch>('listSchemaWatches', installations, {}, enabled)
  return {
    ...answer,
    items: answer.items.filter(({ item }) => objectName === undefined || item.objectName === objectName),
  }
}
