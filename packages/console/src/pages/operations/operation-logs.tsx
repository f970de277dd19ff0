import type { Output } from '@mortise/client'
import { useEffect, useMemo, useState } from 'react'
import { LogView } from '../../parts/log-view.tsx'
import { Loaded } from '../../parts/states.tsx'
import { useCall } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'
import { client } from '../../session/session.ts'
import type { Operation } from './use-operations.ts'

type Line = Output<'listOperationLogs'>[number]

/** The lines of an operation; new ones as they are written while it runs. */
export function OperationLogs({ operation }: { operation: Operation }) {
  const runs = operation.status === 'in_progress'
  // The stream begins with the lines that are there.
  const stored = useCall('listOperationLogs', { operationId: operation.id }, { enabled: !runs })
  const streamed = useStreamedLines(operation.id, runs)
  const lines = useMemo(() => (streamed ?? stored.data ?? []).map(shown), [streamed, stored.data])
  if (runs) return <LogView lines={lines} live label="Log of the operation" />
  return <Loaded query={stored}>{() => <LogView lines={lines} label="Log of the operation" />}</Loaded>
}

function shown({ timestamp, severity, message }: Line) {
  const details = { ...message.details }
  return {
    time: timestamp,
    level: severity.toLowerCase(),
    message: [message.msg, message.error].filter(Boolean).join(' '),
    ...(Object.keys(details).length > 0 && { details }),
  }
}

function useStreamedLines(operationId: string, runs: boolean): Line[] | undefined {
  const project = useProjectRef()
  const [lines, setLines] = useState<Line[]>()
  useEffect(() => {
    if (!runs) return setLines(undefined)
    const ended = new AbortController()
    const known = new Map<string, Line>()
    void (async () => {
      const events = client.follow(
        'streamOperationLogs',
        { projectIdOrName: project, operationId },
        { signal: ended.signal },
      )
      for await (const { event, data } of events) {
        if (event !== 'log') continue
        const line = data as Line & { id: string }
        known.set(line.id, line)
        setLines([...known.values()])
      }
    })().catch(() => {
      // The list of lines is asked for again when the operation ends.
    })
    return () => ended.abort()
  }, [project, operationId, runs])
  return lines
}
