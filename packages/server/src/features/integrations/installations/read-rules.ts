import type { IntegrationContent } from '@mortise/manifest'
import { type Catalogue, canFilterReads, fieldsOfObject, reportsDeletionsOf } from '@mortise/providers'
import type { Config } from '../../../config.ts'
import type { ReadRules } from './validate-read-object.ts'

/** Returns the rules that validate read configs of an integration. */
export function readRules(
  { config, catalogue }: { config: Config; catalogue: Catalogue },
  { provider, module }: Pick<IntegrationContent, 'provider' | 'module'>,
): ReadRules {
  const entry = catalogue.find(provider)
  return {
    readIntervalMinMs: config.readIntervalMinMs,
    canFilter: (objectName) => entry !== undefined && canFilterReads(entry, module, objectName),
    reportsDeletions: (objectName) => entry !== undefined && reportsDeletionsOf(entry, module, objectName),
    knownFields: (objectName) => entry && fieldsOfObject(entry, module, objectName),
  }
}
