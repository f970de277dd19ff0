import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { consumerDigest } from '../record-tool-call.ts'
import { deleteApprovalsOf } from './approval-store.ts'

/** Deletes the calls that agents wanted to make for a person, in the transaction that erases the person. */
export async function forgetConsumer(tx: ProjectDb, consumerRef: string): Promise<void> {
  await deleteApprovalsOf(tx, consumerDigest(consumerRef))
}
