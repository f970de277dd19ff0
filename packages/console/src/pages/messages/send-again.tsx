import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { useChange } from '../../session/data.ts'
import { useMay } from '../../session/project.tsx'
import type { Message } from './message-columns.tsx'
import { ReplayProgress } from './replay-progress.tsx'

/** Sends one message again, and shows how it goes where it was pressed. */
export function SendAgain({ messageId, state }: { messageId: string; state: Message['state'] }) {
  const may = useMay('operator')
  const [replayId, setReplayId] = useState<string>()
  const replay = useChange('replayMessages', {
    refreshes: ['listMessages', 'getMessage', 'listMessageAttempts'],
    onDone: ({ id }) => setReplayId(id),
  })
  const waits = state === 'pending'
  return (
    <>
      <Button
        busy={replay.isPending}
        disabled={!may || waits}
        title={may ? (waits ? 'The message waits for its next attempt.' : undefined) : 'An operator can do this.'}
        onClick={() => replay.mutate({ body: { messageIds: [messageId] } })}
      >
        Send again
      </Button>
      {replayId !== undefined && <ReplayProgress replayId={replayId} onClose={() => setReplayId(undefined)} />}
    </>
  )
}
