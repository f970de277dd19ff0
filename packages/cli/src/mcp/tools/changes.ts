import { z } from 'zod'
import { deadLetterSelection } from '../../commands/dead-letter-selection.ts'
import { findInstallation } from '../../installation/find-installation.ts'
import { parseTime } from '../../parse-time.ts'
import { UsageError } from '../../usage-error.ts'
import { optional, text } from '../inputs.ts'
import { type ToolResult, thingResult } from '../results.ts'
import { type ToolCall, tool } from '../tool.ts'

const reads = z.strictObject({
  integration: text('id or name of the integration'),
  group: optional('your ref of the group (the customer), or give installation'),
  installation: optional('id of the installation'),
  objects: z.array(text('a name')).max(1_000).default([]).describe('names of objects; all when absent'),
  note: optional('a note for the log'),
})

export const pauseReads = tool({
  name: 'pause_reads',
  title: 'Pause reads',
  description: 'Pauses the scheduled reads of an installation, or of some of its objects. resume_reads resumes them.',
  effect: 'change',
  isIdempotent: true,
  input: reads,
  run: (input, call) => changeReads('pauseReads', 'paused', input, call),
})

export const resumeReads = tool({
  name: 'resume_reads',
  title: 'Resume reads',
  description: 'Resumes paused reads of an installation. The next read covers the whole pause.',
  effect: 'change',
  isIdempotent: true,
  input: reads,
  run: (input, call) => changeReads('unpauseReads', 'resumed', input, call),
})

async function changeReads(
  endpoint: 'pauseReads' | 'unpauseReads',
  state: string,
  { integration: integrationId, group, installation, objects, note }: z.output<typeof reads>,
  { connect, signal }: ToolCall,
): Promise<ToolResult> {
  if ((group === undefined) === (installation === undefined))
    throw new UsageError('Name the installation by group or by installation, one of both.')
  const mortise = await connect()
  const named = { ...(group !== undefined && { group }), ...(installation !== undefined && { installation }) }
  const found = await findInstallation(mortise, integrationId, named, signal)
  const body = { ...(objects.length > 0 && { objects }), ...(note !== undefined && { note }) }
  await mortise[endpoint]({ integrationId, installationId: found.id, body }, { signal })
  return thingResult({ installationId: found.id, groupRef: found.group.groupRef, ...body, state })
}

export const triggerRead = tool({
  name: 'trigger_read',
  title: 'Read now',
  description:
    'Starts a read of one object of a group and returns its operation. get_operation and list_operation_logs show how it ends. Its records are delivered to the destination.',
  effect: 'change',
  input: z.strictObject({
    integration: text('id or name of the integration'),
    object: text('name of the object, mapped or as the provider has it'),
    group: text('your ref of the group (the customer)'),
    since: optional('records that changed from this time on: 2026-01-31T12:00:00Z, or 2h; else all'),
    until: optional('records that changed before this time, written like since'),
    backfill: z.boolean().default(false).describe('run the backfill again; a failed one continues where it stopped'),
    deletions: z.boolean().default(false).describe('look for deleted records that the provider does not report'),
  }),
  run: async (input, { connect, signal }) => {
    const body = {
      groupRef: input.group,
      mode: 'async' as const,
      ...(input.since !== undefined && { sinceTimestamp: parseTime(input.since) }),
      ...(input.until !== undefined && { untilTimestamp: parseTime(input.until) }),
      ...(input.backfill && { backfill: true }),
      ...(input.deletions && { deletions: true }),
    }
    const named = { integrationId: input.integration, objectName: input.object }
    return thingResult(await (await connect()).triggerRead({ ...named, body }, { signal }))
  },
})

export const redriveDeadLetters = tool({
  name: 'redrive_dead_letters',
  title: 'Redrive dead letters',
  description: 'Sends dead letters again: those that you name, or all of a destination. Repair the cause first.',
  effect: 'change',
  input: z.strictObject({
    deadLetters: z.array(text('an id')).max(1_000).default([]).describe('ids of dead letters'),
    destination: optional('id or name of a destination: all of its dead letters'),
  }),
  run: async ({ deadLetters, destination }, { connect, signal }) => {
    if (deadLetters.length > 0 === (destination !== undefined))
      throw new UsageError('Name the dead letters by deadLetters or by destination, one of both.')
    const body = deadLetterSelection(deadLetters, destination)
    return thingResult(await (await connect()).redriveDeadLetters({ body }, { signal }))
  },
})
