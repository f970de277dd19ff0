import type { Catalogue } from '@mortise/providers'
import type { Config } from '../../../config.ts'
import type { NewId, ProjectDb } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import type { Outbound } from '../../../kernel/net/index.ts'
import type { ConnectionHooks } from '../../accounts/connections/index.ts'
import {
  type ConnectionHandles,
  classifyFailure,
  openConnector,
  providerProblem,
} from '../../provider-calls/calls/index.ts'
import type { EffectiveReadObject } from './effective.ts'
import type { InstallationHooks } from './hooks.ts'
import { explainMissingScopes } from './missing-scopes.ts'
import { sampleRead } from './sample-read.ts'

/** What installing and changing need of the service. */
export type InstallationServices = {
  config: Config
  newId: NewId
  hooks: InstallationHooks & ConnectionHooks
  catalogue: Catalogue
  outbound: Outbound
  keyring: Keyring
  now: () => Date
  connectionHandles: ConnectionHandles
}

/** How a request wants a config to be tried. */
export interface Trial {
  skipSampling: boolean
  signal: AbortSignal
}

/** Reads a sample of each object through a connection. @throws SampleReadFailed, CapabilityNotImplemented */
export async function tryConfig(
  db: ProjectDb,
  services: InstallationServices,
  connectionId: string,
  module: string | undefined,
  objects: EffectiveReadObject[],
  signal: AbortSignal,
): Promise<void> {
  if (objects.length === 0) return
  try {
    const { connector } = await openConnector(db, services, connectionId, { module })
    await sampleRead(connector, objects, signal, (objectName) =>
      explainMissingScopes(db, services, { connectionId, module, objectName }),
    )
  } catch (error) {
    const failure = classifyFailure(error)
    throw failure.kind === 'no_connector' ? (providerProblem(failure, services.now()) ?? error) : error
  }
}
