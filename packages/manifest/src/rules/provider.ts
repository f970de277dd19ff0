import type { CapabilitySupport, Catalogue, CatalogueEntry, ModuleEntry } from '../catalogue.ts'
import type { Fields } from '../fields.ts'
import type { IntegrationContent } from '../manifest.ts'
import type { Report } from '../report.ts'
import { quote } from '../source/located.ts'

type Action = keyof CapabilitySupport

/** Returns the catalog entry of the integration's provider; reports a missing one. */
export function findProvider(report: Report, fields: Fields, provider: string, catalogue: Catalogue) {
  if (provider === '') return undefined
  const entry = catalogue.find(provider)
  if (entry !== undefined) return entry
  const isBroken = catalogue.isBroken?.(provider) === true
  const meant = isBroken ? undefined : catalogue.suggest?.(provider)
  report('provider-not-supported', fields.at('provider'), {
    message: isBroken
      ? `The provider file of ${quote(provider)} has errors, so it is not in use.`
      : `The catalog has no provider ${quote(provider)}.`,
    suggestion: isBroken
      ? 'Run `mortise doctor` to see the errors, and correct the file. No restart is needed.'
      : meant
        ? `Did you mean ${quote(meant)}?`
        : 'Choose one from the catalog, or add a provider file for it.',
    value: provider,
  })
  return undefined
}

/** Compares what the integration needs from its provider with what the catalog says it supports. */
export function checkProvider(
  report: Report,
  fields: Fields,
  content: IntegrationContent,
  entry: CatalogueEntry,
  providerApps: ReadonlySet<string> | undefined,
): void {
  const { provider, module } = content
  if (module !== undefined && !Object.hasOwn(entry.modules, module)) {
    const names = Object.keys(entry.modules)
    report('provider-module', fields.at('module'), {
      message: `${provider} has no module ${quote(module)}.`,
      suggestion: names.length > 0 ? `Its modules are ${names.join(', ')}.` : 'It has no modules: remove `module`.',
      value: module,
    })
    return
  }
  if (entry.authType === 'oauth2' && !entry.needsNoApp && providerApps?.has(provider) === false) {
    report('provider-app-not-configured', fields.at('provider'), {
      message: `The project has no provider app for ${provider}: nobody can connect an account yet.`,
      suggestion: 'Create one with the client id and secret of your app at the provider.',
    })
  }
  for (const action of ['read', 'write', 'subscribe', 'proxy'] as const) {
    const isUsed = action === 'proxy' ? content.proxy?.enabled === true : content[action] !== undefined
    if (!isUsed) continue
    const usedModule = action === 'proxy' && content.proxy?.useModule !== true ? undefined : module
    const where = usedModule === undefined ? provider : `module ${usedModule} of ${provider}`
    if (!has(entry, usedModule, action)) {
      report(`provider-${action}-support`, fields.at(action), {
        message: `The catalog does not list ${action} for ${where}.`,
        suggestion: instead(entry, usedModule, action) ?? `Remove \`${action}\`, or choose another provider.`,
      })
    } else if (!isImplemented(entry, usedModule, action)) {
      report('capability-not-implemented', fields.at(action), {
        message: `${where} can ${action}, but this release has no connector for it: installing will be refused.`,
        suggestion: 'Use the proxy meanwhile, or add a provider file that has it.',
      })
    }
  }
}

/** Of the module where one is named; otherwise of the provider or of the module that it takes by default. */
function findSupport(entry: CatalogueEntry, module: string | undefined): ModuleEntry[] {
  const name = module ?? entry.defaultModule
  const used = name !== undefined && Object.hasOwn(entry.modules, name) ? entry.modules[name] : undefined
  return [...(module === undefined ? [entry] : []), ...(used ? [used] : [])]
}

function isImplemented(entry: CatalogueEntry, module: string | undefined, action: Action): boolean {
  return findSupport(entry, module).some(({ implemented }) => implemented[action])
}

/** Whether the provider has it, with or without a connector in this release. */
function has(entry: CatalogueEntry, module: string | undefined, action: Action): boolean {
  return (
    isImplemented(entry, module, action) ||
    findSupport(entry, module).some(({ undescribed = [] }) => undescribed.includes(action))
  )
}

/** The modules that can do what the one in use cannot. */
function instead(entry: CatalogueEntry, module: string | undefined, action: Action) {
  const able = Object.keys(entry.modules).filter((name) => name !== module && has(entry, name, action))
  return able.length > 0 ? `Name a module that can: ${able.join(', ')}.` : undefined
}
