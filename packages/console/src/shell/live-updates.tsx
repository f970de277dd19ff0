import { MortiseProblem } from '@mortise/client'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useProjectRef } from '../session/project.tsx'
import { client } from '../session/session.ts'
import { type ChangeKind, isStale } from './changed-queries.ts'

/** Queries are refreshed this often at most, whatever happens in the service. */
const refreshEveryMs = 2_000
/** Before a stream that ended is opened again. */
const reopenMs = 5_000

/** Refreshes what the page shows when it changes in the service. A hidden tab follows nothing. */
export function LiveUpdates() {
  const project = useProjectRef()
  const queries = useQueryClient()
  useEffect(() => {
    if (project === '') return
    const changed = new Set<ChangeKind>()
    let timer: ReturnType<typeof setTimeout> | undefined
    let stream: AbortController | undefined
    // The first event says that anything may have changed. What the page has just loaded needs no second request.
    let isFirst = true

    function refresh() {
      timer = undefined
      const kinds = new Set(changed)
      changed.clear()
      // A slow request is not started again: it would never end in a busy project.
      queries.invalidateQueries({ predicate: ({ queryKey }) => isStale(queryKey, kinds) }, { cancelRefetch: false })
    }
    function receive(kind: ChangeKind) {
      if (kind === 'all' && isFirst) {
        isFirst = false
        return
      }
      changed.add(kind)
      timer ??= setTimeout(refresh, refreshEveryMs)
    }
    async function run({ signal }: AbortController) {
      while (!signal.aborted) {
        try {
          for await (const { event, data } of client.follow('streamChanges', { projectIdOrName: project }, { signal }))
            if (event === 'change') receive((data as { kind: ChangeKind }).kind)
        } catch (error) {
          // An older service has no stream, and a role may not follow it: pages stay as they were loaded.
          if (error instanceof MortiseProblem && (error.status === 403 || error.status === 404)) return
        }
        if (signal.aborted) return
        await new Promise((resolve) => setTimeout(resolve, reopenMs))
      }
    }
    function follow() {
      if (document.hidden) {
        stream?.abort()
        stream = undefined
        return
      }
      if (stream) return
      stream = new AbortController()
      void run(stream)
    }
    follow()
    document.addEventListener('visibilitychange', follow)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      stream?.abort()
      clearTimeout(timer)
    }
  }, [project, queries])
  return null
}
