import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { ConfirmButton } from '../../parts/dialog.tsx'
import { healthQueries } from '../../parts/failing.tsx'
import { counted } from '../../parts/numbers.ts'
import { toast } from '../../parts/toasts.ts'
import { refresh } from '../../session/data.ts'
import { useProjectRef } from '../../session/project.tsx'
import { client } from '../../session/session.ts'
import type { Installation } from './types.ts'

/** Pauses or resumes all objects of the chosen installations, one installation after the other. */
export function BulkActions({ items, onDone }: { items: Installation[]; onDone: () => void }) {
  const projectIdOrName = useProjectRef()
  const queries = useQueryClient()
  const [progress, setProgress] = useState<number>()

  async function each(call: 'pauseReads' | 'unpauseReads', done: string) {
    const failures: string[] = []
    setProgress(0)
    for (const [index, { id, integrationId, group }] of items.entries()) {
      await client[call]({ projectIdOrName, integrationId, installationId: id, body: {} }).catch((error: Error) =>
        failures.push(`${group.groupName || group.groupRef}: ${error.message}`),
      )
      setProgress(index + 1)
    }
    setProgress(undefined)
    await refresh(queries, [...healthQueries])
    const [first] = failures
    if (first === undefined) {
      toast({ title: `${counted(items.length, 'installation')} ${done}`, kind: 'success' })
      onDone()
    } else toast({ title: `${failures.length} of ${items.length} failed`, text: first, kind: 'error' })
  }

  if (progress !== undefined)
    return (
      <span role="status" className="muted">
        {progress} of {items.length}…
      </span>
    )
  return (
    <>
      <ConfirmButton
        label="Pause reads"
        title={`Pause the reads of ${counted(items.length, 'installation')}?`}
        text="Scheduled reads stop until you resume them. Changes at the provider are read then; nothing is lost."
        action="Pause reads"
        onConfirm={() => each('pauseReads', 'paused')}
      />
      <Button onClick={() => each('unpauseReads', 'resumed')}>Resume reads</Button>
    </>
  )
}
