import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { ConfirmButton, Dialog } from '../../parts/dialog.tsx'
import { Command } from '../../parts/states.tsx'
import { useChange } from '../../session/data.ts'
import { useMay } from '../../session/project.tsx'
import type { Destination } from './destination-kinds.ts'

/** The secret that signs messages. A new one is shown once, and only then. */
export function SigningSecret({ destination: { id, name } }: { destination: Destination }) {
  const may = useMay('developer')
  const [secret, setSecret] = useState<string>()
  const rotate = useChange('rotateDestinationSecret', {
    refreshes: ['getDestination'],
    onDone: ({ secrets }) => setSecret(secrets?.webhookSigningKey ?? ''),
  })
  return (
    <div className="stack">
      <p className="muted">
        Every message is signed with it. After a rotation, the old secret signs too for 24 hours, so that your endpoint
        can change over.
      </p>
      <div className="row">
        <ConfirmButton
          label="Rotate the secret"
          look="plain"
          title={`Rotate the secret of ${name}`}
          text="A new secret is made and shown once. The old one stays valid for 24 hours; put the new one into your endpoint before that."
          action="Rotate secret"
          busy={rotate.isPending}
          disabled={!may}
          onConfirm={() =>
            rotate.mutateAsync({ destination: id, query: { includeSecrets: true } }).catch(() => undefined)
          }
        />
        {!may && <span className="muted small">A developer can do this.</span>}
      </div>
      <Dialog
        open={secret !== undefined}
        onClose={() => setSecret(undefined)}
        title="The new secret"
        text="Copy it now. It is not shown here again."
        actions={
          <Button look="primary" onClick={() => setSecret(undefined)}>
            I have copied it
          </Button>
        }
      >
        <Command text={secret ?? ''} />
      </Dialog>
    </div>
  )
}
