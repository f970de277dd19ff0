import type { operationTable } from './generated/operations.ts'
import type { Arguments, CallOptions, OperationId, Output } from './operation-types.ts'
import type { ClientOptions } from './options.ts'
import type { AnyInput, OperationTable } from './request.ts'
import { bodyOf, createSend } from './send.ts'

/** The methods of some operations. */
export type SomeCalls<Id extends OperationId> = { [K in Id]: (...args: Arguments<K>) => Promise<Output<K>> }

/**
 * A client of the operations in `table` only, for scripts that must stay small. The types compare each entry with the
 * API.
 */
export function createCalls<Id extends OperationId>(
  options: ClientOptions,
  table: Pick<typeof operationTable, Id>,
): SomeCalls<Id> {
  const send = createSend<Id>(options, table as OperationTable<Id>)
  const ids = Object.keys(table) as Id[]
  const calls = ids.map((id) => [
    id,
    async (input?: AnyInput, call?: CallOptions) => bodyOf(await send(id, input, call)),
  ])
  return Object.fromEntries(calls) as SomeCalls<Id>
}
