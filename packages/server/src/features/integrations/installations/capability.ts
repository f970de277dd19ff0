import type { IntegrationContent } from '@mortise/manifest'
import type { Capabilities, ProviderEntry } from '@mortise/providers'
import { CapabilityNotImplemented } from '../../provider-calls/calls/index.ts'
import type { ConfigContent } from './content.ts'
import type { EffectiveReadObject } from './effective.ts'

/** The actions of an installation, existing or planned. */
export interface Installed {
  content: ConfigContent
  reads: Map<string, EffectiveReadObject>
}

/**
 * Refuses to install actions that Mortise does not support at the provider: a read, write or subscribe object, or a
 * proxy without any other action. Actions that were already installed are not validated again.
 *
 * @throws CapabilityNotImplemented
 */
export function assertImplemented(
  entry: ProviderEntry | undefined,
  { provider, module, proxy }: IntegrationContent,
  after: Installed,
  before?: Installed,
): void {
  const ofModule = implementedBy(entry, module)
  // The proxy calls the provider itself unless the manifest sets `useModule`.
  const implemented =
    ofModule && entry && proxy?.useModule !== true ? { ...ofModule, proxy: entry.implemented.proxy } : ofModule
  if (before === undefined && !(implemented && Object.values(implemented).some(Boolean)))
    throw new CapabilityNotImplemented({
      detail: `There is no connector for the provider ${provider} here, so it cannot be installed.`,
    })
  const isProxied = (installed: Installed | undefined) => installed?.content.proxy?.enabled === true
  const wanted = {
    read: [...after.reads.keys()].some((name) => !before?.reads.has(name)),
    write: addsObjects(after.content.write, before?.content.write),
    subscribe: addsObjects(after.content.subscribe, before?.content.subscribe),
    proxy: isProxied(after) && !isProxied(before) && after.reads.size === 0,
  }
  const missing = (Object.keys(wanted) as (keyof typeof wanted)[]).filter(
    (name) => wanted[name] && !implemented?.[name],
  )
  if (missing.length > 0)
    throw new CapabilityNotImplemented({
      detail: `The connector for ${provider} cannot do this yet: ${missing.join(', ')}.`,
      remedy: `Leave ${missing.join(' and ')} out of the config.`,
      context: { capabilities: missing },
    })
}

/** Returns what Mortise supports at a provider, or at one of its modules. */
export function implementedBy(entry: ProviderEntry | undefined, module: string | undefined): Capabilities | undefined {
  const modules = entry?.modules ?? {}
  return module !== undefined && Object.hasOwn(modules, module) ? modules[module]?.implemented : entry?.implemented
}

interface Objects {
  objects?: Record<string, unknown>
}

function addsObjects(after: Objects | undefined, before: Objects | undefined): boolean {
  return Object.keys(after?.objects ?? {}).some((name) => !Object.hasOwn(before?.objects ?? {}, name))
}
