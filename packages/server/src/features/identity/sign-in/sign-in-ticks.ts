import type { Database } from '../../../kernel/db/index.ts'
import type { Tick } from '../../../kernel/jobs/index.ts'
import type { BuilderTokens } from './builder-token.ts'
import { deleteExpired } from './once-store.ts'

/**
 * Once an hour on every node: what has expired goes, and a signing key that is old enough is replaced. Both are
 * idempotent.
 */
export function signInTicks(services: { database: Database; now: () => Date; builderTokens: BuilderTokens }): Tick[] {
  return [
    {
      name: 'sign-in.upkeep',
      everyMs: 3_600_000,
      async run() {
        await deleteExpired(services.database.system, services.now())
        await services.builderTokens.rotate()
        return false
      },
    },
  ]
}
