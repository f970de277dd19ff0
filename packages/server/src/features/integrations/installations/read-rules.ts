import type { IntegrationContent } from '@mortise/manifest'
import { canFilterReads, fieldsOfObject } from '@mortise/providers'
import type { Services } from '../../../services.ts'
import type { ReadRules } from './validate-read-object.ts'

/** What configs of an integration are judged by. */
export function readRules(
  { config, catalogue }: Pick<Services, 'config' | 'catalogue'>,
  { provider, module }: Pick<IntegrationContent, 'provider' | 'module'>,
): ReadRules {
  const entry = catalogue.find(provider)
  return {
    readIntervalLeastMs: config.readIntervalLeastMs,
    canFilter: (objectName) => entry !== undefined && canFilterReads(entry, module, objectName),
    knownFields: (objectName) => entry && fieldsOfObject(entry, module, objectName),
  }
}
