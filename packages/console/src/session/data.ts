import { type Input, type ListId, MortiseProblem, type OperationId, type Output } from '@mortise/client'
import {
  keepPreviousData,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useMemo } from 'react'
import { toast } from '../parts/toasts.ts'
import { useProjectRef } from './project.tsx'
import { type Client, client, isSignedOut, signIn } from './session.ts'

/**
 * How pages read and change what the service has. A query is an operation of the API with its input, so that pages
 * that need the same share one answer, and a change refreshes the queries of the operations that it names.
 */

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // The client retries what may succeed later.
      retry: false,
      refetchOnWindowFocus: true,
      throwOnError: false,
    },
  },
})

// The project of the address is the default of each call.
type Given<Id extends OperationId> = Input<Id> & { projectIdOrName?: string }

function call<Id extends OperationId>(id: Id, input: unknown, signal?: AbortSignal): Promise<Output<Id>> {
  const method = client[id] as (input: unknown, options?: { signal?: AbortSignal }) => Promise<Output<Id>>
  return guarded(method(input, signal ? { signal } : undefined))
}

/** Leaves for the sign-in page when the session has ended. */
export async function guarded<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (isSignedOut(error)) signIn()
    throw error
  }
}

/** The query of an operation. A page and its route that name the same input share the answer. */
export function callQuery<Id extends OperationId>(id: Id, full: Given<Id>) {
  return {
    queryKey: [id, full] as const,
    queryFn: ({ signal }: { signal: AbortSignal }) => call(id, full, signal),
  }
}

export interface CallQueryOptions {
  /** False while an input is not known yet. */
  enabled?: boolean
  /** Asks again after so many milliseconds. Prefer live updates. */
  everyMs?: number
  staleMs?: number
}

/** Calls an operation in the project of the address. */
export function useCall<Id extends OperationId>(
  id: Id,
  input: Given<Id>,
  { enabled = true, everyMs, staleMs }: CallQueryOptions = {},
) {
  const project = useProjectRef()
  const full = { projectIdOrName: project, ...input }
  return useQuery({
    ...callQuery(id, full),
    enabled,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
    ...(staleMs !== undefined && { staleTime: staleMs }),
    placeholderData: keepPreviousData,
  })
}

export const pageSize = 100

/** Lists page by page. `items` has all pages that were requested so far. */
export function useList<Id extends ListId>(
  id: Id,
  input: Given<Id>,
  { enabled = true, everyMs }: CallQueryOptions = {},
) {
  const project = useProjectRef()
  const full = { projectIdOrName: project, ...input }
  const query = useInfiniteQuery({
    queryKey: [id, full, 'pages'],
    queryFn: ({ signal, pageParam }) =>
      guarded(client.page(id, full as never, { signal, pageSize, pageToken: pageParam })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextPageToken,
    enabled,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  })
  // The same array until a page comes: a list may have thousands of rows.
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items), [query.data])
  return { ...query, items }
}
export type List = ReturnType<typeof useList>

export interface ChangeOptions<Id extends OperationId> {
  /** Operations whose answers the change makes stale. */
  refreshes: OperationId[]
  /** What is shown when it worked. */
  done?: string | ((output: Output<Id>) => string)
  onDone?: (output: Output<Id>) => void
  /** False where the form shows the problem itself. */
  showsProblem?: boolean
}

/** Calls an operation that changes something. Shows how it ended. */
export function useChange<Id extends OperationId>(
  id: Id,
  { refreshes, done, onDone, showsProblem = true }: ChangeOptions<Id>,
) {
  const project = useProjectRef()
  const queries = useQueryClient()
  return useMutation<Output<Id>, Error, Given<Id>>({
    mutationFn: (input) => call(id, { projectIdOrName: project, ...input }),
    onSuccess: async (output) => {
      if (done !== undefined) toast({ title: typeof done === 'string' ? done : done(output), kind: 'success' })
      onDone?.(output)
      await refresh(queries, refreshes)
    },
    onError: (error) => {
      if (showsProblem) toast({ title: titleOf(error), text: error.message, kind: 'error' })
    },
  })
}

export async function refresh(queries: QueryClient, ids: OperationId[]): Promise<void> {
  await queries.invalidateQueries({ predicate: ({ queryKey }) => ids.includes(queryKey[0] as OperationId) })
}

/** The title of a problem, or what else went wrong. */
export function titleOf(error: unknown): string {
  if (error instanceof MortiseProblem) return error.document.title ?? 'The request failed'
  return 'The service did not answer'
}

export type { Client }
