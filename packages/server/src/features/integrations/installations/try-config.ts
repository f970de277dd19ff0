import { NoConnector } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Services } from '../../../services.ts'
import { openConnector } from '../../accounts/connections/index.ts'
import type { EffectiveReadObject } from './effective.ts'
import { CapabilityNotImplemented } from './problems.ts'
import { sampleRead } from './sample-read.ts'

/** What installing and changing need of the service. */
export type InstallationServices = Pick<
  Services,
  'config' | 'newId' | 'hooks' | 'catalogue' | 'outbound' | 'keyring' | 'now' | 'liveConnections'
>

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
    await sampleRead(connector, objects, signal)
  } catch (error) {
    if (error instanceof NoConnector) throw new CapabilityNotImplemented({ detail: error.message, cause: error })
    throw error
  }
}
