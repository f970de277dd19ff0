import type { Counted, Counts } from '../counts/index.ts'
import type { ChangePublisher } from './change-publisher.ts'

/** Publishes what was counted: operations, and messages. */
export function publishCounted(
  changes: Pick<ChangePublisher, 'add'>,
  { projectId, installationId }: Counted,
  { reads, providerCalls, messagesPosted, deliveries }: Partial<Counts>,
): void {
  if (reads || providerCalls) changes.add(projectId, { kind: 'operation', installationId })
  if (messagesPosted || deliveries) changes.add(projectId, { kind: 'message', installationId })
}
