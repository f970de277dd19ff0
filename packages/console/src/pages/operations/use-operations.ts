import type { Output } from '@mortise/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { Listed } from '../../parts/data-table.tsx'
import { guarded, pageSize } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'
import { client } from '../../session/session.ts'

export type Operation = Output<'searchOperations'>['results'][number]

const filterNames = [
  'actionType',
  'createdAfter',
  'createdBefore',
  'groupRef',
  'installationId',
  'integrationId',
  'objectName',
  'readType',
  'status',
] as const

/** What the address filters by, as the service takes it. */
export function queryOf(filters: Record<string, string>): Record<string, string> {
  return Object.fromEntries(filterNames.flatMap((name) => (filters[name] === undefined ? [] : [[name, filters[name]]])))
}

/** Pages that the console requests unasked although they bring almost nothing. */
const patience = 12
/** A page with fewer operations does not fill the window. */
const shortPage = 10

export interface FoundOperations extends Listed<Operation> {
  /** The search came to operations of this time, and has found little since. */
  examinedTime: string | undefined
  /** It stopped there, and continues when the reader asks for it. */
  stopped: boolean
  goOn: () => void
}

/**
 * Operations of the project. A page may be short or empty while there are more: the search continues unasked for
 * some pages, and then asks.
 */
export function useOperations(query: Record<string, string>): FoundOperations {
  const project = useProjectRef()
  const [allowed, setAllowed] = useState(0)
  const pages = useInfiniteQuery({
    queryKey: ['searchOperations', { projectIdOrName: project, query }, 'pages'],
    queryFn: ({ signal, pageParam }) =>
      guarded(
        client.searchOperations(
          {
            projectIdOrName: project,
            query: { ...query, pageSize, ...(pageParam !== undefined && { pageToken: pageParam }) } as never,
          },
          { signal },
        ),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.nextPageToken,
  })
  const answers = pages.data?.pages ?? []
  const items = useMemo(() => pages.data?.pages.flatMap(({ results }) => results), [pages.data])
  const fruitless = answers.length - 1 - answers.findLastIndex(({ results }) => results.length >= shortPage)
  const stopped = pages.hasNextPage && fruitless >= patience + allowed
  return {
    items,
    error: pages.error,
    hasNextPage: pages.hasNextPage && !stopped,
    isFetchingNextPage: pages.isFetchingNextPage,
    fetchNextPage: () => pages.fetchNextPage(),
    refetch: () => pages.refetch(),
    examinedTime: pages.hasNextPage ? answers.at(-1)?.examinedTime : undefined,
    stopped,
    goOn: () => {
      setAllowed(allowed + patience)
      void pages.fetchNextPage()
    },
  }
}

const actions: Record<string, string> = {
  read: 'Read',
  write: 'Write',
  subscribe: 'Subscription',
  proxy: 'Proxied request',
}

/** "Read of contacts". */
export function titleOfOperation({ actionType, resource, readType }: Operation): string {
  const what = actions[actionType]
  const kind = readType && { backfill: 'Backfill', scheduled: 'Scheduled read', triggered: 'Triggered read' }[readType]
  return [kind ?? what ?? actionType, resource].filter(Boolean).join(' of ')
}

/** The result without the name of the object, which stands beside it. */
export function resultOf({ result, resource }: Operation): string | undefined {
  return result?.startsWith(`[${resource}] `) ? result.slice((resource?.length ?? 0) + 3) : result
}

export function durationOf({ createTime, updateTime, status }: Operation): number | undefined {
  if (status === 'in_progress' || updateTime === undefined) return undefined
  return Date.parse(updateTime) - Date.parse(createTime)
}

/** Where an operation's progress is, also for writes. */
export function recordsOf({ metadata }: Operation): number | undefined {
  return metadata?.progress?.recordsProcessed ?? metadata?.successfulRecordIds?.length
}
