import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FormProblem, issueOf, TextField } from '../../parts/fields.tsx'
import { useChange } from '../../session/data.ts'
import type { Topic } from './use-routes.ts'

/** Creates a topic, or renames one. */
export function TopicDialog({
  topic,
  onClose,
  onDone,
}: {
  topic?: Topic
  onClose: () => void
  onDone: (topic: Topic) => void
}) {
  const [name, setName] = useState(topic?.name ?? '')
  const options = { refreshes: ['listTopics'] as 'listTopics'[], showsProblem: false, onDone }
  const create = useChange('createTopic', options)
  const rename = useChange('updateTopic', options)
  const error = create.error ?? rename.error
  return (
    <Dialog
      open
      onClose={onClose}
      title={topic ? `Rename ${topic.name}` : 'Create topic'}
      text="A topic is a name for a group of events."
    >
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (topic) rename.mutate({ topicId: topic.id, body: { name } })
          else create.mutate({ body: { name } })
        }}
      >
        <TextField
          label="Name"
          value={name}
          maxLength={64}
          help="Letters, digits and dashes. For example errors."
          error={issueOf(error, 'name')}
          onChange={(event) => setName(event.target.value)}
        />
        <FormProblem error={error} />
        <div className="row dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={create.isPending || rename.isPending} disabled={name === ''}>
            {topic ? 'Rename topic' : 'Create topic'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
