import type { SubscribeConfigObject, WriteConfigObject } from './content.ts'
import type { ObjectIssue } from './object-issue.ts'

/** Checks the config of a write object beyond its types (contract 3.14): a write can use a default. */
export function writeObjectIssues(config: WriteConfigObject): ObjectIssue[] {
  const { selectedFieldSettings = {}, selectedValueDefaults = {} } = config
  const settings = Object.entries(selectedFieldSettings)
    .filter(([, { default: value }]) => value !== undefined && Object.keys(value).length !== 1)
    .map(([field, { default: value }]) => ({
      path: ['selectedFieldSettings', field, 'default'],
      value,
      detail: 'A default is exactly one of stringValue, integerValue and booleanValue.',
      remedy: 'Keep one of the three.',
    }))
  const legacy = Object.entries(selectedValueDefaults)
    .filter(([, setting]) => !isValueDefault(setting))
    .map(([field, value]) => ({
      path: ['selectedValueDefaults', field],
      value,
      detail: 'A default has a `value` that is a text, a number or a boolean, and `applyOnUpdate` is always or never.',
      remedy: 'Correct it, or use selectedFieldSettings.',
    }))
  return [...settings, ...legacy]
}

/** Whether a write can use a deprecated default: `{value, applyOnUpdate}`, or the bare value of old. */
function isValueDefault(setting: unknown): boolean {
  if (typeof setting !== 'object' || setting === null) return isPlain(setting)
  const { value, applyOnUpdate = 'always' } = setting as { value?: unknown; applyOnUpdate?: unknown }
  return isPlain(value) && (applyOnUpdate === 'always' || applyOnUpdate === 'never')
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

/**
 * Checks the config of a subscribe object beyond its types: options that only one provider knows, and what they need.
 */
export function subscribeObjectIssues(provider: string, config: SubscribeConfigObject): ObjectIssue[] {
  const { providerOptions, updateEvent } = config
  if (providerOptions === undefined) return []
  const path = ['providerOptions']
  if (provider !== 'salesforce')
    return [
      {
        path,
        value: providerOptions,
        detail: `The provider ${provider} has no provider options.`,
        remedy: 'Remove providerOptions.',
      },
    ]
  if (providerOptions.quotaOptimization?.enabled !== true) return []
  if ((updateEvent?.requiredWatchFields ?? []).length > 0 && updateEvent?.watchFieldsAuto !== 'all') return []
  return [
    {
      path: [...path, 'quotaOptimization'],
      value: providerOptions.quotaOptimization,
      detail: 'quotaOptimization needs fields to watch, and not all of them.',
      remedy: 'Name fields in updateEvent.requiredWatchFields, and leave out watchFieldsAuto: all.',
    },
  ]
}
