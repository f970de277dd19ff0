import { firstIdAt, isId, type NewId, type ProjectDb } from '../../../../kernel/db/index.ts'
import { endpoint, InvalidInput, type Issue, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import { findDestination } from '../../destinations/index.ts'
import { startReplay } from '../dead-letters.ts'
import { MessageReplay, NewMessageReplay, type Selection } from '../replay-model.ts'

const choices = ['messageIds', 'range', 'failedOf'] as const

export const replayMessages = endpoint({
  id: 'replayMessages',
  method: 'POST',
  path: '/projects/{projectIdOrName}/messages:replay',
  access: 'operate',
  summary: 'Send messages again.',
  description:
    'Each message keeps its id, so your endpoint can recognize it, and gets all its attempts again. Pending messages are skipped. Runs in the background: get the replay to see its progress.',
  tag: 'Messages',
  audit: { verb: 'replay', resource: 'message-replay' },
  extension: true,
  params: ProjectPath,
  body: NewMessageReplay,
  reply: { 202: MessageReplay },
  run: async ({ db, body }, { queue, newId }: { queue: JobQueue; newId: NewId }) => {
    const id = newId()
    const selection = await select(db, body, id)
    return reply(202, await startReplay(db, { queue }, { id, selection }))
  },
})

/** @throws InvalidInput with everything that is wrong */
async function select(db: ProjectDb, body: NewMessageReplay, id: string): Promise<Selection> {
  const present = choices.filter((choice) => body[choice] !== undefined)
  if (present.length !== 1) {
    const detail = `The body must have exactly one of messageIds, range and failedOf; it has ${present.length === 0 ? 'none' : present.join(' and ')}.`
    throw new InvalidInput({ issues: [{ in: 'body', name: 'body', detail }] })
  }
  const { messageIds, range, failedOf } = body
  const issues: Issue[] = []
  let selection: Selection = { ids: [] }
  if (messageIds) {
    issues.push(...messageIds.flatMap(idIssue))
    selection = { ids: [...new Set(messageIds.map((id) => id.toLowerCase()))].sort() }
  } else {
    const destination = failedOf ?? range?.destination
    const name = range ? 'range.destination' : 'failedOf'
    const destinationId = destination === undefined ? undefined : (await findDestination(db, destination))?.id
    if (destination !== undefined && destinationId === undefined)
      issues.push({
        in: 'body',
        name,
        value: destination,
        detail: `${name} names no destination of this project.`,
        remedy: 'Give the id or name of one.',
      })
    if (range && new Date(range.from) >= new Date(range.to))
      issues.push({ in: 'body', name: 'range.to', value: range.to, detail: 'range.to must be later than range.from.' })
    selection = {
      ...(destinationId !== undefined && { destinationId }),
      states: [...new Set<string>(range?.states ?? ['failed'])],
      ...(range && { from: firstIdAt(new Date(range.from)) }),
      // What is posted from now on is not meant.
      below: range ? firstIdAt(new Date(range.to)) : id,
    }
  }
  if (issues.length > 0) throw new InvalidInput({ issues: issues.slice(0, 100) })
  return selection
}

function idIssue(id: string, index: number): Issue[] {
  if (isId(id)) return []
  const name = `messageIds[${index}]`
  return [{ in: 'body', name, value: id, detail: `${name} is not the id of a message.` }]
}
