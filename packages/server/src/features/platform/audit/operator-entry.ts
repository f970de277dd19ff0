import type { Kysely } from 'kysely'
import { newId, type Tables } from '../../../kernel/db/index.ts'
import { serviceLog } from '../../../kernel/http/index.ts'
import { insertEntries } from './store.ts'

/** A command that the operator ran on the machine, as an entry shows it. */
export interface OperatorCommand {
  action: string
  verb: string
  resource: { kind: string; id: string | undefined }
}

/** Stores an entry of the service's log about a command of the operator, who needs no account for it. */
export async function recordOperatorCommand(system: Kysely<Tables>, command: OperatorCommand): Promise<void> {
  const record = {
    ...command,
    log: serviceLog,
    actor: { kind: 'operator' as const },
    outcome: 'success' as const,
    address: undefined,
    userAgent: undefined,
    requestId: undefined,
    before: undefined,
    after: undefined,
  }
  await insertEntries({ projectId: serviceLog, sql: system }, [{ id: newId(), record }])
}
