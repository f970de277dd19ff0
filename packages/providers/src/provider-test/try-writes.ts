import type { ProviderObject } from '../catalogue/format/provider-file.ts'
import type { Connector, WriteRequest } from '../connector.ts'
import { idParts } from '../interpreter/record-id.ts'
import { ProviderError } from '../provider-error.ts'
import { reasonOf, type TriedFinding } from './finding.ts'
import type { Recording } from './recording-http.ts'

/** What came of a write that the application has to refuse. */
export interface TriedWrite {
  type: 'create' | 'update'
  /** Id of the record that was to be changed. */
  id?: string
  /** Whether Mortise takes the answer for a refusal, a success, or something else that went wrong. */
  outcome: 'refused' | 'written' | 'failed'
  /** What came. */
  message: string
}

interface TryingWrites {
  connector: Connector
  objectName: string
  object: ProviderObject
  /** A record of the account, to try changes on. */
  recordId: string | undefined
  recording: Recording
  findings: TriedFinding[]
  signal: AbortSignal
}

/** No application has given out such an id. */
const noSuchId = 'mortise-no-such-record'
const shownMax = 500

/**
 * Sends writes that the provider must refuse, and finds answers that Mortise would take for a success. The file
 * gives the records (`refused`); an update without one names a record that does not exist.
 */
export async function tryWrites(trying: TryingWrites): Promise<TriedWrite[]> {
  const { object, objectName, recordId, findings } = trying
  const tried: TriedWrite[] = []
  const { create, update } = object.write ?? {}
  if (create?.refused !== undefined) tried.push(await tryWrite(trying, { type: 'create', record: create.refused }))
  else if (create !== undefined)
    findings.push({
      level: 'warning',
      message:
        'write: create was not tested, because it would create a record. Set `write.create.refused` to a record that the provider refuses.',
    })
  if (update === undefined) return tried
  if (update.refused !== undefined && recordId === undefined) {
    findings.push({ level: 'warning', message: `write: update was not tested: ${objectName} has no record to update.` })
    return tried
  }
  const isGiven = update.refused !== undefined && recordId !== undefined
  const nowhere =
    idParts(object.read?.id)
      .map(() => noSuchId)
      .join('/') || noSuchId
  const write = { type: 'update', record: update.refused ?? {}, id: isGiven ? recordId : nowhere } as const
  return [...tried, await tryWrite(trying, write)]
}

async function tryWrite(
  { connector, objectName, recording, findings, signal }: TryingWrites,
  write: Pick<WriteRequest, 'record' | 'id'> & { type: TriedWrite['type'] },
): Promise<TriedWrite> {
  const { type, id } = write
  const came = (outcome: TriedWrite['outcome'], message: string): TriedWrite => ({
    type,
    ...(id !== undefined && { id }),
    outcome,
    message,
  })
  try {
    const { rawResponse, data } = await connector.write({ object: objectName, ...write, signal })
    const answer = rawResponse ?? (data === undefined ? '' : recording.safe(JSON.stringify(data)))
    const shown = answer === '' ? 'an empty response' : answer.slice(0, shownMax).toWellFormed()
    findings.push({
      level: 'error',
      message: `write: Mortise treats the response to the ${type} as a success: ${shown}. If the provider refused the record, describe refusals with \`answer.refusals\` or \`answer.success\`.`,
    })
    return came('written', shown)
  } catch (error) {
    const message = reasonOf(error)
    if (error instanceof ProviderError && (error.class === 'bad_request' || error.class === 'not_found'))
      return came('refused', message)
    findings.push({
      level: 'warning',
      message: `write: Mortise does not treat the response to the ${type} as a refusal: ${message}`,
    })
    return came('failed', message)
  }
}
