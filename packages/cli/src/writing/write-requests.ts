import { type Client, type Input, MortiseProblem, type Output } from '@mortise/client'
import { UsageError } from '../usage-error.ts'
import type { Values } from './read-records.ts'

export type WriteBody = Input<'writeRecords'>['body']
export type Written = Output<'writeRecords'>

/** Most records of one request. */
const batchMax = 100

/** The requests that write these records: as few as can be, in their order. Deletes go one by one. */
export function writeRequests(
  common: Pick<WriteBody, 'groupRef' | 'type' | 'mode'>,
  records: readonly Values[],
  oneByOne: boolean,
): WriteBody[] {
  if (records.length === 1 || oneByOne || common.type === 'delete')
    return records.map((record) => ({ ...common, record }))
  const requests: WriteBody[] = []
  for (let from = 0; from < records.length; from += batchMax)
    requests.push({ ...common, batch: records.slice(from, from + batchMax).map((record) => ({ record })) })
  return requests
}

/**
 * Sends one; an answer that says that nothing was written is an answer too.
 *
 * @throws UsageError for a batch where the provider takes none: nothing was sent to it
 * @throws MortiseProblem for any other answer
 */
export async function sendWrite(
  mortise: Client,
  object: { integrationId: string; objectName: string },
  body: WriteBody,
  signal: AbortSignal,
): Promise<Written> {
  try {
    // Otherwise, the service describes an invalid request as plain text.
    return await mortise.writeRecords({ ...object, body }, { signal, headers: { accept: 'application/json' } })
  } catch (error) {
    const answer: unknown = error instanceof MortiseProblem && error.status === 422 ? error.document : undefined
    if (typeof answer === 'object' && answer !== null && 'operationId' in answer) return answer as Written
    const refused = body.batch && refusedBatch(error)
    if (refused)
      throw new UsageError(
        `${refused} Nothing was written. Use --one-by-one to send each record in a separate request.`,
        { cause: error },
      )
    throw error
  }
}

/** Says that the provider takes no batches, where that is what is wrong. */
function refusedBatch(error: unknown): string | undefined {
  if (!(error instanceof MortiseProblem)) return undefined
  return error.issues.find(({ name, context }) => name === 'batch' && context?.['batchSizeMax'] === 1)?.detail
}
