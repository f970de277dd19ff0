import { addCredential } from './credential.ts'
import type { CallOptions } from './operation-types.ts'
import type { ClientOptions } from './options.ts'
import { problemOf } from './problem.ts'
import { type AnyInput, createRequest, type OperationTable } from './request.ts'
import { createRetryingFetch } from './retrying-fetch.ts'

/** Sends requests of the operations in `table`, and throws `MortiseProblem` unless the status is 2xx. */
export function createSend<Id extends string>(options: ClientOptions, table: OperationTable<Id>) {
  const fetch = createRetryingFetch({
    fetch: options.fetch ?? globalThis.fetch,
    retries: options.retries ?? 3,
    timeoutMs: options.timeoutMs ?? 60_000,
  })
  const makeRequest = createRequest(options, table)
  return async (id: Id, input: AnyInput = {}, call: CallOptions = {}): Promise<Response> => {
    const request = await addCredential(makeRequest(id, input, call), options)
    const answer = await fetch(request)
    if (!answer.ok) throw await problemOf(answer)
    return answer
  }
}

/** Returns the parsed body of a response; undefined if it has none. */
export async function bodyOf(answer: Response): Promise<unknown> {
  const text = await answer.text()
  if (text === '') return undefined
  return /json/.test(answer.headers.get('content-type') ?? '') ? JSON.parse(text) : text
}
