import type { CatalogueEntry } from '../catalogue.ts'
import type { Fields } from '../fields.ts'
import type { Report } from '../report.ts'
import { quote } from '../source/located.ts'

type Action = 'read' | 'write' | 'subscribe'

/** Scopes by action. Each text names one that is missing, or several of which one is enough: `a or b`. */
export type MissingOfObject = Partial<Record<Action, readonly string[]>>
/**
 * By provider, by module (`''` without modules), by object. `*` stands for objects that the provider file does not
 * name. An object that lacks nothing has an empty entry if the file names it.
 */
export type MissingScopes = Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, MissingOfObject>>>>>
>

/** Labels of the settings that the provider app of a provider lacks, by provider. */
export type MissingParams = Readonly<Record<string, readonly string[]>>

interface ScopeCheck {
  report: Report
  provider: string
  module: string | undefined
  entry: CatalogueEntry | undefined
  missingScopes: MissingScopes | undefined
}

/** Names the OAuth scopes that an object needs and the provider app does not list. */
export function checkScopes(check: ScopeCheck, fields: Fields, action: Action, objectName: string): void {
  const { report, provider } = check
  for (const scope of missingOf(check, objectName)[action] ?? []) {
    report('provider-app-scopes', fields.at('objectName'), {
      message: `To ${action} ${quote(objectName)}, ${provider} needs the scope ${scope}, which the provider app does not list.`,
      suggestion:
        'Add the scope to the provider app, and to your app at the provider. Then connect the accounts again.',
      value: objectName,
    })
  }
}

/** Names the settings that the provider requires and its app lacks. */
export function checkParams(
  report: Report,
  fields: Fields,
  provider: string,
  missingParams: MissingParams | undefined,
): void {
  for (const label of own(missingParams ?? {}, provider) ?? [])
    report('provider-app-params', fields.at('provider'), {
      message: `The provider app of ${provider} lacks a setting: ${label}. Every request to ${provider} fails until it is there.`,
      suggestion: 'Add the setting to the provider app.',
      value: provider,
    })
}

function missingOf({ provider, module, entry, missingScopes = {} }: ScopeCheck, objectName: string): MissingOfObject {
  const byDefault = entry?.defaultModule ?? ''
  const used = module ?? (Object.hasOwn(entry?.modules ?? {}, byDefault) ? byDefault : '')
  const objects = own(own(missingScopes, provider) ?? {}, used) ?? {}
  return own(objects, objectName) ?? own(objects, '*') ?? {}
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
