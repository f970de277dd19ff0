import { useMemo, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FormProblem, issueOf, SelectField, TextField } from '../../parts/fields.tsx'
import { useIntegrations } from '../../parts/integrations.ts'
import { useChange } from '../../session/data.ts'
import type { Destination } from './destination-kinds.ts'
import { objectsOfSources, sourcesOf } from './resend-scope.ts'

/** Fills a destination with the records that are there already: all of them, or those of a part. */
export function ResendDialog({
  destination: { id, name },
  onClose,
}: {
  destination: Destination
  onClose: () => void
}) {
  const integrations = useIntegrations()
  const sources = useMemo(() => sourcesOf(name, integrations.data ?? []), [name, integrations.data])
  const [integration, setIntegration] = useState('')
  const [objectName, setObjectName] = useState('')
  const [groupRef, setGroupRef] = useState('')
  const resend = useChange('resendToDestination', {
    refreshes: ['getDestination', 'getResend', 'searchOperations'],
    showsProblem: false,
    onDone: onClose,
  })
  const objects = objectsOfSources(sources, integration)
  const groupIssue = issueOf(resend.error, 'groupRef')
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Resend records to ${name}`}
      text="Mortise reads all records from your customers’ accounts, and delivers them here again. Four accounts are read at a time. Schedules keep their positions."
    >
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          const ref = groupRef.trim()
          resend.mutate({
            destination: id,
            body: {
              ...(integration !== '' && { integration }),
              ...(objectName !== '' && { objectName }),
              ...(ref !== '' && { groupRef: ref }),
            },
          })
        }}
      >
        {integrations.data !== undefined && sources.length === 0 && (
          <p className="muted">No integration reads records for this destination, so a resend finds nothing.</p>
        )}
        <SelectField
          label="Integration"
          value={integration}
          choices={[
            { value: '', label: 'All integrations' },
            ...sources.map((source) => ({ value: source.id, label: source.label })),
          ]}
          onChange={(event) => {
            setIntegration(event.target.value)
            if (!objectsOfSources(sources, event.target.value).includes(objectName)) setObjectName('')
          }}
        />
        <SelectField
          label="Object"
          value={objectName}
          choices={[
            { value: '', label: 'All objects' },
            ...objects.map((object) => ({ value: object, label: object })),
          ]}
          onChange={(event) => setObjectName(event.target.value)}
        />
        <TextField
          label="Customer"
          optional
          help="The groupRef of one customer. Empty: all customers."
          value={groupRef}
          error={groupIssue}
          onChange={(event) => setGroupRef(event.target.value)}
        />
        {groupIssue === undefined && <FormProblem error={resend.error} />}
        <div className="row dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={resend.isPending}>
            Resend records
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
