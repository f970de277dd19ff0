import { join } from 'node:path'
import { type LiveCatalogue, openLiveCatalogue } from '@mortise/providers'
import type { Config } from './config.ts'
import { providerOfFault } from './features/integrations/catalogue/index.ts'
import { createManifestValidator, type ManifestValidator } from './features/integrations/integrations/index.ts'
import { missingParamsOfApps, missingScopesOfApps } from './features/integrations/provider-apps/index.ts'
import type { Keyring } from './kernel/encryption/index.ts'
import type { Logger } from './kernel/telemetry/index.ts'
import type { Services } from './services.ts'

/** Provider files, and what validates manifests against them. */
export interface OpenProviders {
  catalogue: LiveCatalogue
  validateManifest: ManifestValidator
}

/** Opens the provider files and logs the errors of each version. */
export async function openProviders(config: Config, log: Logger): Promise<OpenProviders> {
  const catalogue = await openLiveCatalogue({
    providerDirs: config.providersDir,
    cacheDir: config.cacheDir ?? join(config.dataDir, 'cache'),
    onChange: (err) => {
      if (err !== undefined) log.error({ err }, 'failed to reload provider files')
      else logFaults()
    },
  })
  const logFaults = () => {
    for (const fault of catalogue.faults)
      log.warn({ fault, inUse: catalogue.find(providerOfFault(fault)) !== undefined }, 'provider file has errors')
  }
  logFaults()
  return { catalogue, validateManifest: createManifestValidator({ catalogue }) }
}

/** Returns what the services have of the provider files. */
export function servicesOfProviders(
  providers: OpenProviders,
  keyring: Keyring,
): Pick<Services, 'catalogue' | 'validateManifest' | 'missingScopesOfApps' | 'missingParamsOfApps'> {
  return {
    ...providers,
    missingScopesOfApps: (db) => missingScopesOfApps(db, providers),
    missingParamsOfApps: (db) => missingParamsOfApps(db, { ...providers, keyring }),
  }
}
