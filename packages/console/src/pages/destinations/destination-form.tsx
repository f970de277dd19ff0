import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FormProblem, issueOf, SelectField, TextArea, TextField } from '../../parts/fields.tsx'
import { useChange } from '../../session/data.ts'
import { type Destination, headersOf, kinds, linesOf } from './destination-kinds.ts'

interface Values {
  name: string
  type: string
  url: string
  headers: string
  stream: string
  maxLength: string
}

/** Creates a destination, or changes one. What the service masks stays as it is unless it is typed anew. */
export function DestinationForm({
  destination,
  name,
  onClose,
  onDone,
}: {
  destination?: Destination
  name?: string | undefined
  onClose: () => void
  onDone: (destination: { name: string }) => void
}) {
  const metadata = destination?.metadata
  const [values, setValues] = useState<Values>({
    name: destination?.name ?? name ?? '',
    type: destination?.type ?? 'webhook',
    url: metadata?.url ?? '',
    headers: linesOf(metadata?.headers),
    stream: metadata?.stream ?? '',
    maxLength: metadata?.maxLength === undefined ? '' : String(metadata.maxLength),
  })
  const options = {
    refreshes: ['listDestinations', 'getDestination', 'getOverview'] as ('listDestinations' | 'getDestination')[],
    showsProblem: false,
    onDone,
  }
  const create = useChange('createDestination', { ...options, done: 'The destination exists.' })
  const update = useChange('updateDestination', { ...options, done: 'The destination is changed.' })
  const { headers, wrong } = headersOf(values.headers)
  const error = create.error ?? update.error
  const set = (change: Partial<Values>) => setValues({ ...values, ...change })
  const isWebhook = values.type === 'webhook'
  const isComplete =
    values.name !== '' && values.url !== '' && wrong === undefined && (isWebhook || values.stream !== '')
  function send() {
    const sent = isWebhook
      ? { url: values.url, headers }
      : {
          url: values.url,
          stream: values.stream,
          ...(values.maxLength !== '' && { maxLength: Number(values.maxLength) }),
        }
    if (!destination) return create.mutate({ body: { name: values.name, type: values.type, metadata: sent } })
    const changed = changedOf(destination, values, sent)
    if (changed.length === 0) return onClose()
    update.mutate({
      destination: destination.id,
      body: { updateMask: changed, destination: { name: values.name, metadata: sent } },
    })
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={destination ? `Edit ${destination.name}` : 'Create destination'}
      text={kinds[values.type]?.about}
    >
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (isComplete) send()
        }}
      >
        {!destination && (
          <SelectField
            label="Kind"
            value={values.type}
            choices={Object.entries(kinds).map(([value, { label }]) => ({ value, label }))}
            onChange={(event) => set({ type: event.target.value, url: '' })}
          />
        )}
        <TextField
          label="Name"
          value={values.name}
          help="Manifests use this name. Letters, digits and dashes."
          error={issueOf(error, 'name')}
          onChange={(event) => set({ name: event.target.value })}
        />
        <KindFields {...{ values, set, error, wrong, isWebhook }} isEdited={destination !== undefined} />
        <FormProblem error={error} />
        <div className="row dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={create.isPending || update.isPending} disabled={!isComplete}>
            {destination ? 'Save destination' : 'Create destination'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function KindFields({
  values,
  set,
  error,
  wrong,
  isWebhook,
  isEdited,
}: {
  values: Values
  set: (change: Partial<Values>) => void
  error: unknown
  wrong: string | undefined
  isWebhook: boolean
  isEdited: boolean
}) {
  const masked = isEdited ? ' Parts that are *** stay as they are, if you change nothing.' : ''
  return (
    <>
      <TextField
        label={isWebhook ? 'URL' : 'Server'}
        type="text"
        inputMode="url"
        spellCheck={false}
        value={values.url}
        help={
          isWebhook
            ? `For example https://example.com/webhooks.${masked}`
            : `For example rediss://user:password@redis.example.com:6379/0.${masked}`
        }
        error={issueOf(error, 'url')}
        onChange={(event) => set({ url: event.target.value })}
      />
      {isWebhook ? (
        <TextArea
          label="Headers"
          optional
          rows={3}
          spellCheck={false}
          className="mono"
          value={values.headers}
          help={`One in each line, for example X-Team: growth.${masked}`}
          error={wrong === undefined ? issueOf(error, 'headers') : `"${wrong}" is not a name, a colon and a value.`}
          onChange={(event) => set({ headers: event.target.value })}
        />
      ) : (
        <>
          <TextField
            label="Stream"
            value={values.stream}
            help="The key of the stream, for example mortise:messages. Redis creates it with the first message."
            error={issueOf(error, 'stream')}
            onChange={(event) => set({ stream: event.target.value })}
          />
          <TextField
            label="Entries to keep"
            optional
            inputMode="numeric"
            pattern="[0-9]*"
            value={values.maxLength}
            help="About how many entries the stream keeps. All when empty."
            error={issueOf(error, 'maxLength')}
            onChange={(event) => set({ maxLength: event.target.value.replaceAll(/\D/g, '') })}
          />
        </>
      )}
    </>
  )
}

/** The fields of the update mask: what differs from the destination. */
function changedOf(
  { name, metadata }: Destination,
  values: Values,
  sent: { url: string; headers?: Record<string, string>; stream?: string; maxLength?: number },
): string[] {
  return [
    values.name !== name && 'name',
    sent.url !== metadata.url && 'metadata.url',
    sent.headers !== undefined && linesOf(sent.headers) !== linesOf(metadata.headers) && 'metadata.headers',
    sent.stream !== metadata.stream && 'metadata.stream',
    sent.maxLength !== metadata.maxLength && 'metadata.maxLength',
  ].filter((part) => part !== false)
}
