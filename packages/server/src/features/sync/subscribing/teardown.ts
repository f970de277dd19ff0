import type { RegistrationRequest } from '@mortise/providers'
import { createEnvelope, type SealedAt } from '../../../kernel/encryption/index.ts'
import type { Services } from '../../../services.ts'
import type { DepartedConnection } from '../../accounts/connections/index.ts'

/**
 * What it takes to end registrations when installation and connection are gone. It holds what authenticates: sealed,
 * and not for long.
 */
export interface Teardown {
  connection: DepartedConnection
  module?: string
  registrations: (RegistrationRequest & { id: string })[]
}

function sealedAt(projectId: string, id: string): SealedAt {
  return { table: 'teardowns', project: projectId, row: id, column: 'sealed' }
}

export function sealTeardown(
  { keyring }: Pick<Services, 'keyring'>,
  projectId: string,
  id: string,
  teardown: Teardown,
): string {
  return createEnvelope(keyring).seal(JSON.stringify(teardown), sealedAt(projectId, id))
}

/** @throws UnknownSealKey, SealBroken */
export function openTeardown(
  { keyring }: Pick<Services, 'keyring'>,
  projectId: string,
  { id, sealed }: { id: string; sealed: string },
): Teardown {
  return JSON.parse(createEnvelope(keyring).open(sealed, sealedAt(projectId, id)).toString()) as Teardown
}
