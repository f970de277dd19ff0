import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { Listed } from '../parts/table-types.ts'
import { guarded } from './data.ts'

/** Pages that the console requests unasked although they bring almost nothing. */
const patience = 12
/** A page with fewer rows does not fill the window. */
const shortPage = 10

interface SearchPage<T> {
  results: T[]
  pagination: { nextPageToken?: string }
}

export interface Search<T, Page> extends Listed<T> {
  /** The last page that came, while more may follow. */
  lastPage: Page | undefined
  /** The search found little for many pages, and continues when the reader asks for it. */
  stopped: boolean
  goOn: () => void
}

/**
 * A list whose pages may be short or empty while there are more, because the service examines a limited number of rows
 * for each. The search continues unasked for some pages, and then asks.
 */
export function useSearchPages<T, Page extends SearchPage<T>>(
  queryKey: readonly unknown[],
  request: (pageToken: string | undefined, signal: AbortSignal) => Promise<Page>,
  { enabled = true }: { enabled?: boolean } = {},
): Search<T, Page> {
  const [allowed, setAllowed] = useState(0)
  const pages = useInfiniteQuery({
    queryKey: [...queryKey, 'pages'],
    queryFn: ({ signal, pageParam }) => guarded(request(pageParam, signal)),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.nextPageToken,
    enabled,
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
    lastPage: pages.hasNextPage ? answers.at(-1) : undefined,
    stopped,
    goOn: () => {
      setAllowed(allowed + patience)
      void pages.fetchNextPage()
    },
  }
}
