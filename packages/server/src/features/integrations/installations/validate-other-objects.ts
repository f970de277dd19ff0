import type { SubscribeConfigObject, WriteConfigObject } from './content.ts'
import type { ObjectIssue } from './object-issue.ts'

/** Checks the config of a write object beyond its types (contract 3.14): a default is one value. */
export function writeObjectIssues({ selectedFieldSettings = {} }: WriteConfigObject): ObjectIssue[] {
  return Object.entries(selectedFieldSettings)
    .filter(([, { default: value }]) => value !== undefined && Object.keys(value).length !== 1)
    .map(([field, { default: value }]) => ({
      path: ['selectedFieldSettings', field, 'default'],
      value,
      detail: 'A default is exactly one of stringValue, integerValue and booleanValue.',
      remedy: 'Keep one of the three.',
    }))
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
